// Lines over days, and over the seconds of a video.
import { useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { day, number } from "../format";
import { saveCSV } from "./csv";

const dark = matchMedia("(prefers-color-scheme: dark)");

export interface Point { at: string; value: number }

interface Plotted { x: number[]; y: number[]; before?: (number | null)[] | undefined; clock?: boolean }

/** Draws a line over UTC days, or over the seconds of a video. */
function Plot({ x, y, before, clock = false }: Plotted) {
  const place = useRef<HTMLDivElement>(null);
  const [scheme, setScheme] = useState(dark.matches);
  useEffect(() => {
    const follow = () => setScheme(dark.matches);
    dark.addEventListener("change", follow);
    return () => dark.removeEventListener("change", follow);
  }, []);
  useEffect(() => {
    const box = place.current;
    if (!box || x.length === 0) return;
    const colours = getComputedStyle(document.documentElement);
    const colour = (token: string) => colours.getPropertyValue(token).trim();
    const axis: uPlot.Axis = { stroke: colour("--quiet"), grid: { stroke: colour("--hairline"), width: 1 }, ticks: { stroke: colour("--hairline"), width: 1 } };
    const chart = new uPlot({
      width: box.clientWidth, height: 220, cursor: { y: false }, legend: { show: false }, tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "UTC"),
      scales: { x: { time: !clock }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
      axes: [
        { ...axis, ...(clock && { values: (_: uPlot, splits: number[]) => splits.map((second) => clockOf(second)) }) },
        { ...axis, size: 60, values: (_, splits) => splits.map((value) => Number.isInteger(value) ? number(value) : "") },
      ],
      series: [{}, { stroke: colour("--accent"), width: 2, points: { show: false } }, { stroke: colour("--line"), width: 1, dash: [4, 4], points: { show: false } }],
    }, [x, y, before ?? x.map(() => null)], box);
    const observer = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height: 220 }));
    observer.observe(box);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [x, y, before, clock, scheme]);
  return <div ref={place} className="chart" aria-hidden="true" />;
}

/** A chart with its name, and a table that says the same and can be saved. The page, but not the file, has the labels as shown writes them. */
function Figure({ name, caption, plotted, header, rows, shown = (label) => label }: {
  name: string; caption: string; plotted: Plotted; header: [string, string]; rows: [label: string, value: number, before?: number | null][]; shown?: (label: string) => string;
}) {
  const earlier = rows.some((row) => row.length > 2);
  return (
    <figure>
      <figcaption className="quiet">{caption}</figcaption>
      <Plot {...plotted} />
      <details>
        <summary>As a table</summary>
        <div className="scroll" tabIndex={0} role="region" aria-label={name}>
          <table>
            <thead><tr><th scope="col">{header[0]}</th><th scope="col" className="numeric">{header[1]}</th></tr></thead>
            <tbody>{rows.map(([label, value]) => <tr key={label}><th scope="row">{shown(label)}</th><td className="numeric">{number(value)}</td></tr>)}</tbody>
          </table>
        </div>
        <button type="button" className="secondary" onClick={() => saveCSV(name.toLowerCase(), earlier ? [...header, "Before"] : header, rows.map(([label, value, before]) => earlier ? [label, value, before ?? null] : [label, value]))}>Download as CSV</button>
      </details>
    </figure>
  );
}

/** Draws the points, and with before, those of an earlier period under the same days. */
export function Chart({ name, points, before }: { name: string; points: Point[]; before?: Point[] | undefined }) {
  const plotted = useMemo(() => ({
    x: points.map((point) => new Date(point.at).getTime() / 1000), y: points.map((point) => point.value), before: before && points.map((_, i) => before[i]?.value ?? null),
  }), [points, before]);
  return <Figure name={name} caption={name + (before ? ", and in the period before (dashed)" : "")} plotted={plotted} header={["Day", name]}
    rows={points.map(({ at, value }, i) => before ? [at.slice(0, 10), value, before[i]?.value ?? null] : [at.slice(0, 10), value])} shown={day} />;
}

/** Draws how often each second of a video was played. */
export function Curve({ name, views }: { name: string; views: number[] }) {
  const plotted = useMemo(() => ({ x: views.map((_, second) => second), y: views, clock: true }), [views]);
  return <Figure name={name} caption={name} plotted={plotted} header={["Second", "Plays"]} rows={views.map((value, second) => [clockOf(second), value])} />;
}

const clockOf = (second: number) => `${Math.floor(second / 60)}:${String(Math.floor(second % 60)).padStart(2, "0")}`;
