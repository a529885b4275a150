import { useEffect } from "react";

import { number, words } from "../format";
import { useQuery } from "../graphql";
import { SystemDocument } from "../operations";
import { Heading, Loaded, Table, Time } from "../parts/parts";

const everySeconds = 5;

/** The engines, how far each is behind, and what helps. */
export function System() {
  const state = useQuery(SystemDocument, {});
  const { reload } = state;
  useEffect(() => {
    const timer = window.setInterval(reload, everySeconds * 1000);
    return () => window.clearInterval(timer);
  });
  return (
    <>
      <Heading title="System">{state.data && <span className={`badge ${state.data.system.status === "UP" ? "good" : ""}`}>{words(state.data.system.status)}</span>}</Heading>
      <section className="card">
        <Loaded result={state}>
          {({ system }) => (
            <>
              <Table label="Parts" rows={system.parts} keyOf={(part) => part.name} empty="Nothing is known about the service." columns={[
                { name: "Part", cell: (part) => words(part.name) },
                { name: "Engine", cell: (part) => part.engine },
                { name: "State", cell: (part) => <span className={`badge ${part.status === "UP" ? "good" : ""}`}>{words(part.status)}</span> },
                { name: "Behind by", numeric: true, cell: (part) => part.lag === null ? "" : `${number(part.lag)} changes` },
                { name: "Why, and what helps", cell: (part) => [part.detail, part.remedy].filter(Boolean).join(": ") },
              ]} />
              <p className="quiet">Version {system.version}. {number(system.videos)} videos.</p>
            </>
          )}
        </Loaded>
      </section>
      <section className="card" aria-labelledby="keys">
        <h2 id="keys">Keys that sign tokens</h2>
        <Loaded result={state}>
          {({ system }) => (
            <Table label="Signing keys" rows={system.signingKeys} keyOf={(key) => key.id} empty="There is no key yet." columns={[
              { name: "Key", cell: (key) => <code>{key.id}</code> },
              { name: "Since", cell: (key) => <Time at={key.createdAt} /> },
            ]} />
          )}
        </Loaded>
      </section>
    </>
  );
}
