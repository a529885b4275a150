import { useMemo } from "react";

import { number } from "../format";
import { ask, useQuery } from "../graphql";
import { CreateSynonymDocument, DeleteSynonymDocument, EmptySearchesDocument, ExplainDocument, NamedDocument } from "../operations";
import { Empty, Field, Form, Heading, Loaded, Search, Table, useAction, useNotice } from "../parts/parts";
import { dayOf } from "../periods";
import { type Route, href, refine } from "../routes";
import { useMay } from "../viewer";

/** Searches that find nothing, and words that mean the same. */
export function SearchTuning({ route }: { route: Route }) {
  const text = route.params.get("text") ?? "", other = route.params.get("other") ?? "";
  const period = useMemo(() => ({ from: dayOf(60), to: dayOf(0) }), []);
  const report = useQuery(EmptySearchesDocument, period);
  return (
    <>
      <Heading title="Search tuning" />
      <div className="halves">
        <section className="card" aria-labelledby="nothing">
          <h2 id="nothing">Searches that find nothing</h2>
          <Loaded result={report}>
            {({ searchReport }) => (
              <Table label="Searches that find nothing" rows={searchReport} keyOf={(row) => row.text} empty="Every search of the last 60 days finds something." columns={[
                { name: "Text", cell: (row) => <a href={href("search", "", { text: row.text })} aria-current={row.text === text ? "true" : undefined}>{row.text}</a> },
                { name: "Searches", numeric: true, cell: (row) => number(row.searches) },
              ]} />
            )}
          </Loaded>
        </section>
        <section className="card" aria-labelledby="means">
          <h2 id="means">{text ? `What “${text}” means` : "What a search means"}</h2>
          {text ? <Meaning route={route} text={text} other={other} /> : <Empty>Choose a search from the list. Then say which words mean the same, and see what the search would find.</Empty>}
        </section>
      </div>
      <Synonyms />
    </>
  );
}

function Meaning({ route, text, other }: { route: Route; text: string; other: string }) {
  const before = useQuery(ExplainDocument, { query: text }), after = useQuery(ExplainDocument, other ? { query: other } : undefined);
  const mayEdit = useMay("EDIT_CATALOGUE");
  const notice = useNotice();
  const save = async () => {
    const { createSynonym } = await ask(CreateSynonymDocument, { input: { words: [text, other] } });
    notice({ text: `“${text}” now also finds “${other}”.`, undo: () => ask(DeleteSynonymDocument, createSynonym).then(before.reload) });
    before.reload();
  };
  return (
    <>
      <Loaded result={before}>{({ explainSearch: { total } }) => <p role="status">“{text}” finds {number(total)} videos now.</p>}</Loaded>
      <Form label="Synonym" submit={mayEdit ? "Let both mean the same" : "Your role cannot change searches"} send={save}>
        <Field label="Words that mean the same">{() => <Search label="Words that mean the same" text={other} change={(next) => refine(route, { other: next })} />}</Field>
        {other && <Loaded result={after}>{({ explainSearch: { total } }) => <p role="status">“{other}” finds {number(total)} videos; “{text}” will find them, too.</p>}</Loaded>}
      </Form>
    </>
  );
}

function Synonyms() {
  const list = useQuery(NamedDocument, { kind: "SYNONYM", first: 200 });
  const mayEdit = useMay("EDIT_CATALOGUE");
  const act = useAction(list.reload);
  const remove = (id: string, words: string[]) => act(() => ask(DeleteSynonymDocument, { id }), "The synonym is deleted.", () => ask(CreateSynonymDocument, { input: { words } }));
  return (
    <section className="card" aria-labelledby="synonyms">
      <h2 id="synonyms">Words that mean the same</h2>
      <Loaded result={list}>
        {({ catalogueItems: { nodes } }) => (
          <Table label="Synonyms" rows={nodes} keyOf={(item) => item.id} empty="There are no synonyms yet." columns={[
            { name: "Words", cell: (item) => wordsOf(item.body).join(" = ") },
            ...(mayEdit ? [{ name: "Action", cell: (item: { id: string; body: unknown }) => <button type="button" className="secondary" onClick={() => void remove(item.id, wordsOf(item.body))}>Delete<span className="hidden"> {wordsOf(item.body).join(", ")}</span></button> }] : []),
          ]} />
        )}
      </Loaded>
    </section>
  );
}

const wordsOf = (body: unknown) => (body as { words?: string[] }).words ?? [];
