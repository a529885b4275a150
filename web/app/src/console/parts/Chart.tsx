// A line over days.
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { day, number } from "../format";
import { saveCSV } from "./csv";

const dark = matchMedia("(prefers-color-scheme: dark)");

export interface Point { at: string; value: number }

/** Draws the points, and with before, those of an earlier period under the same days. A table below says the same. */
export function Chart({ name, points, before }: { name: string; points: Point[]; before?: Point[] | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const [scheme, setScheme] = useState(dark.matches);
  useEffect(() => {
    const follow = () => setScheme(dark.matches);
    dark.addEventListener("change", follow);
    return () => dark.removeEventListener("change", follow);
  }, []);
  useEffect(() => {
    const box = place.current;
    if (!box || points.length === 0) return;
    const colours = getComputedStyle(document.documentElement);
    const colour = (token: string) => colours.getPropertyValue(token).trim();
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--hairline"), width: 1 }, ticks: { stroke: colour("--hairline"), width: 1 } };
    const chart = new uPlot({
      width: box.clientWidth, height: 220, cursor: { y: false }, legend: { show: false },
      scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
      axes: [axis, { ...axis, size: 60, values: (_, splits) => splits.map((value) => Number.isInteger(value) ? number(value) : "") }],
      series: [{}, { stroke: colour("--accent"), width: 2, points: { show: false } }, { stroke: colour("--line"), width: 1, dash: [4, 4], points: { show: false } }],
    }, [points.map((point) => new Date(point.at).getTime() / 1000), points.map((point) => point.value), points.map((_, i) => before?.[i]?.value ?? null)], box);
    const observer = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height: 220 }));
    observer.observe(box);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [points, before, scheme]);
  return (
    <figure>
      <figcaption className="quiet">{name}{before && ", and in the period before (dashed)"}</figcaption>
      <div ref={place} className="chart" aria-hidden="true" />
      <details>
        <summary>As a table</summary>
        <div className="scroll" tabIndex={0} role="region" aria-label={name}>
          <table>
            <thead><tr><th scope="col">Day</th><th scope="col" className="numeric">{name}</th></tr></thead>
            <tbody>{points.map((point) => <tr key={point.at}><th scope="row">{day(point.at)}</th><td className="numeric">{number(point.value)}</td></tr>)}</tbody>
          </table>
        </div>
        <button type="button" className="secondary" onClick={() => saveCSV(name.toLowerCase(), ["day", name.toLowerCase(), "before"], points.map((point, i) => [point.at.slice(0, 10), point.value, before?.[i]?.value ?? null]))}>Download as CSV</button>
      </details>
    </figure>
  );
}
