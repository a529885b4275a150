// Chooses records by their names.
import { useId, useState } from "react";

import { useQuery } from "../graphql";
import { AccountsDocument, type CatalogueKind, CollectionsDocument, FindVideosDocument, NamedDocument } from "../operations";
import { Search } from "./parts";

export interface Named { id: string; name: string }

/** The kinds that a Picker finds. Collections and accounts are no kinds of the catalogue. */
export type Pickable = CatalogueKind | "COLLECTION" | "ACCOUNT";

/** Finds records of a kind by words of their names. code makes the code of a record its id, as education levels need. */
export function useNamed(kind: Pickable, text: string, first: number): { found: Named[]; loading: boolean } {
  const ofCatalogue = kind !== "VIDEO" && kind !== "COLLECTION" && kind !== "ACCOUNT";
  const records = useQuery(NamedDocument, ofCatalogue ? { kind, text: text || null, first } : undefined);
  const videos = useQuery(FindVideosDocument, kind === "VIDEO" && text ? { text, size: first } : undefined);
  const collections = useQuery(CollectionsDocument, kind === "COLLECTION" ? { filter: { query: text || null, partialTitleMatch: true, ignoreDiscoverable: true }, sortBy: ["TITLE"], page: 0 } : undefined);
  const accounts = useQuery(AccountsDocument, kind === "ACCOUNT" ? { text: text || null } : undefined);
  const found = kind === "VIDEO" ? (text ? videos.data?.searchVideos.videos ?? [] : []).map((video) => ({ id: video.id, name: video.title }))
    : kind === "COLLECTION" ? (collections.data?.collections.collections ?? []).slice(0, first).map((one) => ({ id: one.id, name: one.title }))
      : kind === "ACCOUNT" ? (accounts.data?.accounts.nodes ?? []).slice(0, first)
        : (records.data?.catalogueItems.nodes ?? []).map((node) => ({ id: kind === "EDUCATION_LEVEL" ? bodyOf(node.body).code ?? node.id : node.id, name: nameOf(node.body) }));
  return { found, loading: records.loading || videos.loading || collections.loading || accounts.loading };
}

interface Body { name?: string; label?: string; title?: string; code?: string }
const bodyOf = (body: unknown) => (body ?? {}) as Body;

/** The name of a record by its body. */
export function nameOf(body: unknown): string {
  const { name, label, title, code } = bodyOf(body);
  return name ?? label ?? title ?? code ?? "";
}

/** A search box whose results are buttons. Each picks one record. */
export function Picker({ label, kind, without = [], pick }: { label: string; kind: Pickable; without?: readonly string[]; pick: (one: Named) => void }) {
  const [text, setText] = useState("");
  const id = useId();
  const { found, loading } = useNamed(kind, text, kind === "VIDEO" ? 12 + Math.min(without.length, 50) : 200);
  const left = found.filter((one) => !without.includes(one.id));
  const offered = (kind === "VIDEO" ? left : left.toSorted((a, b) => a.name.localeCompare(b.name, "en"))).slice(0, kind === "VIDEO" ? 12 : 40);
  return (
    <div className="picker">
      <Search label={label} text={text} change={setText} />
      <ul className="plain choices" id={id} aria-label={`${label}: found`}>
        {offered.map((one) => <li key={one.id}><button type="button" className="secondary" onClick={() => { setText(""); pick(one); }}>{one.name}</button></li>)}
      </ul>
      {offered.length === 0 && !loading && (text !== "" || kind !== "VIDEO") && <p className="quiet">{text ? `Nothing is called “${text}”.` : "There is nothing to choose."}</p>}
    </div>
  );
}
