// What ⌘K opens: it finds any page, video, customer or user.
import { useEffect, useRef, useState } from "react";

import { useQuery } from "./graphql";
import { AccountsDocument, UsersDocument, FindVideosDocument } from "./operations";
import { Search } from "./parts/parts";
import { go, href } from "./routes";
import { nameOf } from "./screens/Users";
import { useMay } from "./viewer";

interface Target { kind: string; name: string; address: string }

export function Palette({ pages, close }: { pages: Target[]; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(""), [chosen, setChosen] = useState(0), [entered, setEntered] = useState(false);
  const customers = useMay("VIEW_CUSTOMERS"), persons = useMay("VIEW_PERSONS");
  const wanted = text.trim() !== "";
  const videos = useQuery(FindVideosDocument, wanted ? { text, size: 6 } : undefined);
  const accounts = useQuery(AccountsDocument, wanted && customers ? { text } : undefined);
  const users = useQuery(UsersDocument, wanted && persons ? { text } : undefined);
  useEffect(() => { dialog.current?.showModal(); }, []);
  useEffect(() => setChosen(0), [text]);
  const fitting = pages.filter((page) => page.name.toLowerCase().includes(text.trim().toLowerCase()));
  const targets: Target[] = [
    ...fitting,
    ...(wanted ? videos.data?.searchVideos.videos ?? [] : []).map((video) => ({ kind: "Video", name: video.title, address: href("videos", video.id) })),
    ...(wanted ? accounts.data?.accounts.nodes ?? [] : []).slice(0, 5).map((one) => ({ kind: "Customer", name: one.name, address: href("customers", one.id) })),
    ...(wanted ? users.data?.users.nodes ?? [] : []).slice(0, 5).map((user) => ({ kind: "User", name: `${nameOf(user)}, ${user.account}`, address: href("users", user.id) })),
  ];
  const open = (target: Target | undefined) => {
    if (!target) return;
    go(target.address);
    close();
  };
  // Enter may come before the pause that ends the typing, and before the answers.
  const ready = chosen < fitting.length || !(videos.loading || accounts.loading || users.loading);
  useEffect(() => {
    if (!entered || !ready) return;
    setEntered(false);
    open(targets[chosen]);
  });
  const press = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setChosen((before) => (before + step + targets.length) % Math.max(1, targets.length));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      const typed = event.target instanceof HTMLInputElement ? event.target.value : text;
      if (typed !== text) setChosen(0);
      setText(typed);
      setEntered(true);
    }
  };
  return (
    <dialog ref={dialog} className="palette" aria-label="Go to" onClose={close} onKeyDown={press}>
      <Search label="Go to a page, video, customer or user" text={text} change={setText} />
      <ul className="plain" aria-label="Found">
        {targets.map((target, i) => (
          <li key={target.address}><a href={target.address} aria-current={i === chosen ? "true" : undefined} onClick={close}><span className="quiet">{target.kind}</span> {target.name}</a></li>
        ))}
      </ul>
      {wanted && targets.length === 0 && !videos.loading && <p className="quiet">Nothing has this name.</p>}
    </dialog>
  );
}
