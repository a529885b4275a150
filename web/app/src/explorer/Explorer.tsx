import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import { Button, Input, Label, TextField } from "react-aria-components";

import { type Exchange, type Request, exchange, fetchToken, shortened } from "./client";
import { Links } from "./Links";
import { Traffic } from "./Traffic";

const index = new URL("v1/", document.baseURI).href;

// An entry of the history contains the address below that of the page.
const hashOf = (address: string) => `#${shortened(address)}`;
const addressOf = (hash: string) => new URL(decodeURI(hash.slice(1)), document.baseURI).href;
const currentAddress = () => location.hash ? addressOf(location.hash) : index;

interface Outcome { text: string; failed: boolean; exchange?: Exchange }

/** The page on which people follow the links of the API. The token stays in memory. */
export function Explorer() {
  const token = useRef("");
  const [access, setAccess] = useState("No token yet.");
  const [address, setAddress] = useState(currentAddress);
  const [outcome, setOutcome] = useState<Outcome>({ text: "Nothing was asked for yet.", failed: false });
  const [traffic, setTraffic] = useState<Exchange[]>([]);

  const show = useCallback(async (request: Request) => {
    setAddress(request.address);
    const what = `${request.method ?? "GET"} ${shortened(request.address)}`;
    try {
      const done = await exchange(request, token.current);
      setTraffic((all) => [done, ...all]);
      setOutcome({
        text: `${what}: ${done.status} ${done.statusText}, ${done.length} bytes in ${done.milliseconds} ms`, failed: done.status >= 400, exchange: done,
      });
    } catch (error) {
      setOutcome((before) => ({ ...before, text: `${what}: ${messageOf(error)}`, failed: true }));
    }
  }, []);

  // Reads enter the history of the browser, writes do not: going back never writes.
  const send = useCallback((request: Request) => {
    if ((request.method ?? "GET") === "GET" && location.hash !== hashOf(request.address)) {
      history.pushState(null, "", hashOf(request.address));
    }
    void show(request);
  }, [show]);

  useEffect(() => {
    const move = () => { if (location.hash) void show({ address: addressOf(location.hash) }); };
    window.addEventListener("popstate", move);
    return () => window.removeEventListener("popstate", move);
  }, [show]);

  const use = (text: string) => {
    token.current = text;
    setAccess(text ? "Requests carry the token." : "No token yet.");
  };
  const read = (event: FormEvent) => {
    event.preventDefault();
    send({ address: new URL(address, document.baseURI).href });
  };

  return (
    <>
      <section id="access-bar" aria-label="Access">
        <h1>HAL explorer</h1>
        <Credentials access={access} use={use} refuse={(message) => setAccess(`No token: ${message}`)} start={() => send({ address: currentAddress() })} />
      </section>
      <nav id="documents" aria-label="Documents">
        <Button className="secondary" onPress={() => history.back()}>Back</Button>
        <Button className="secondary" onPress={() => history.forward()}>Forward</Button>
        <Button className="secondary" onPress={() => send({ address: index })}>Index</Button>
        <form id="address-form" onSubmit={read}>
          <TextField value={address} onChange={setAddress} isRequired autoComplete="off">
            <Label>Address</Label> <Input spellCheck={false} />
          </TextField>
          <Button type="submit">Read</Button>
        </form>
      </nav>
      <main>
        <p id="outcome" role="status" className={outcome.failed ? "failed" : ""}>{outcome.text}</p>
        <div className="columns">
          <section aria-labelledby="links-heading">
            <h2 id="links-heading">Links</h2>
            <div id="links"><Links key={traffic.length} exchange={outcome.exchange} send={send} /></div>
          </section>
          <section aria-labelledby="document-heading">
            <h2 id="document-heading">Document</h2>
            <pre id="document" tabIndex={0}>{outcome.exchange ? outcome.exchange.text || "(no body)" : ""}</pre>
          </section>
        </div>
        <section aria-labelledby="traffic-heading">
          <h2 id="traffic-heading">Traffic</h2>
          <Traffic exchanges={traffic} />
        </section>
      </main>
    </>
  );
}

interface CredentialsProps { access: string; use: (token: string) => void; refuse: (message: string) => void; start: () => void }

function Credentials({ access, use, refuse, start }: CredentialsProps) {
  const [clientID, setClientID] = useState("");
  const [secret, setSecret] = useState("");
  const request = async (event: FormEvent) => {
    event.preventDefault();
    try {
      use(await fetchToken(clientID, secret));
      setSecret("");
      start();
    } catch (error) {
      refuse(messageOf(error));
    }
  };
  return (
    <form id="credentials" autoComplete="off" onSubmit={(event) => void request(event)}>
      <TextField type="password" autoComplete="off" onChange={(text) => use(text.trim())}>
        <Label>Token</Label> <Input spellCheck={false} />
      </TextField>
      <span>or</span>
      <TextField value={clientID} onChange={setClientID} isRequired autoComplete="off">
        <Label>Client id</Label> <Input spellCheck={false} />
      </TextField>
      <TextField type="password" value={secret} onChange={setSecret} autoComplete="off">
        <Label>Secret</Label> <Input spellCheck={false} />
      </TextField>
      <Button type="submit">Get a token</Button>
      <output id="access" aria-live="polite">{access}</output>
    </form>
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
