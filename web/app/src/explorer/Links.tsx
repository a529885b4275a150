import { useState } from "react";
import { Button } from "react-aria-components";

import { type Exchange, type Request, shortened } from "./client";
import { type Link, groupsOf } from "./hal";
import { RequestForm } from "./RequestForm";

type Send = (request: Request) => void;

/** The links of a response and of the documents within it. */
export function Links({ exchange, send }: { exchange: Exchange | undefined; send: Send }) {
  const groups = exchange?.document ? groupsOf(exchange.document) : [];
  if (exchange && groups.length === 0) return <p>There are none.</p>;
  return groups.map(({ name, links }, at) => (
    <details key={at} open={at === 0}>
      <summary>{name} ({links.length})</summary>
      <ul className="links">{links.map((link, number) => <LinkItem key={number} link={link} send={send} />)}</ul>
    </details>
  ));
}

function LinkItem({ link, send }: { link: Link; send: Send }) {
  const [open, setOpen] = useState(false);
  const toggle = { className: "secondary", "aria-expanded": open, onPress: () => setOpen(!open) };
  let action = <Button {...toggle}>{link.rel} …</Button>;
  if (!link.templated) {
    action = new URL(link.href, document.baseURI).origin !== location.origin
      ? <a href={link.href} target="_blank" rel="noopener noreferrer">{link.rel}</a>
      : <span>
        <Button className="secondary" onPress={() => send({ address: link.href })}>{link.rel}</Button>{" "}
        <Button {...toggle} aria-label={`${link.rel} with another method`}>…</Button>
      </span>;
  }
  return (
    <li>
      {action} <code>{shortened(link.href)}</code>
      {open && <RequestForm link={link} send={send} />}
    </li>
  );
}
