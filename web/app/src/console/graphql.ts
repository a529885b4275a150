// Operations of the GraphQL API, with the rights of the user who is signed in.
import { useEffect, useRef, useState } from "react";

import type { TypedDocumentString } from "./operations";
import { hasUnsaved } from "./routes";
import { SignedOut, accessToken, leave } from "./session";

/** An error of the server. */
export class Failure extends Error {
  constructor(message: string, readonly code: string, readonly reasons: string[], readonly trace: string) { super(message); }
}

interface Answer { data?: unknown; message?: string; errors?: { message: string; extensions?: { code?: string; reasons?: string[] } }[] }

/** The error of a request without an answer. */
export const unreachable = () => new Failure("The server does not answer. Check the connection, then try again.", "UNREACHABLE", [], "");

/** Returns an access token, or leads to the sign-in page. The error is a Failure. */
export async function authorization(): Promise<string> {
  try {
    return await accessToken();
  } catch (failure) {
    if (failure instanceof SignedOut) return signedOut();
    throw unreachable();
  }
}

// Leaves the page only if it has nothing to lose.
async function signedOut(): Promise<never> {
  if (hasUnsaved()) throw new Failure("You are no longer signed in. Sign in again in another tab, then try again here.", "SIGNED_OUT", [], "");
  await leave();
  return new Promise(() => {}); // the browser leaves the page
}

/** Runs an operation. The error is a Failure. */
export async function ask<R, V>(document: TypedDocumentString<R, V>, variables: V): Promise<R> {
  const response = await send(document.toString(), variables, await authorization());
  const trace = response.headers.get("X-Service-Trace-Id") ?? "";
  const answer = await response.json().catch(() => ({ message: `The server answers ${response.status}.` })) as Answer;
  if (response.status === 401) return signedOut();
  const fault = answer.errors?.[0];
  if (fault) throw new Failure(fault.message, fault.extensions?.code ?? "", fault.extensions?.reasons ?? [], trace);
  if (!response.ok) throw new Failure(answer.message ?? `The server answers ${response.status}.`, String(response.status), [], trace);
  return answer.data as R;
}

// A request that comes too soon is sent again when the server says, at most this often.
const mostAttempts = 5;

async function send(query: string, variables: unknown, token: string): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await sendOnce(query, variables, token);
    if (response.status !== 429 || attempt === mostAttempts) return response;
    const seconds = Number(response.headers.get("Retry-After") ?? "1");
    await new Promise((resume) => setTimeout(resume, Math.min(seconds, 30) * 1000));
  }
}

async function sendOnce(query: string, variables: unknown, token: string): Promise<Response> {
  try {
    return await fetch(new URL("graphql", globalThis.document.baseURI), {
      method: "POST", cache: "no-store", credentials: "omit",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    });
  } catch {
    throw unreachable();
  }
}

/** What a query yields. data is the last answer, even while a newer one is awaited or has failed. */
export interface Result<R> {
  data?: R | undefined;
  failure?: Failure | undefined;
  loading: boolean;
  /** Reads again. */
  reload: () => void;
  /** Reads again now and some times later, because lists of videos follow changes within about a second. */
  follow: () => void;
}

// A busy server takes longer than a second.
const followAfter = [1_000, 3_000, 10_000];

// Answers of this page, so that going back shows a list at once while it is read again.
const known = new Map<string, unknown>();
const most = 200;

/** Reads an operation whenever its variables change. Without variables, nothing is read. */
export function useQuery<R, V>(document: TypedDocumentString<R, V>, variables: V | undefined): Result<R> {
  const key = variables === undefined ? "" : document.toString() + JSON.stringify(variables);
  const [state, setState] = useState<{ key: string; data?: R | undefined; failure?: Failure | undefined; loading: boolean }>({ key: "", loading: false });
  // What is asked now: an action may end, or a timer fire, after the variables have changed.
  const asked = useRef({ key, document, variables }), latest = useRef(0);
  const read = async () => {
    const { key, document, variables } = asked.current;
    if (variables === undefined) return;
    const turn = ++latest.current;
    setState((before) => ({ key, data: known.get(key) as R | undefined ?? before.data, loading: true }));
    try {
      const data = await ask(document, variables);
      known.delete(key);
      known.set(key, data);
      if (known.size > most) known.delete(known.keys().next().value as string);
      if (turn === latest.current) setState({ key, data, loading: false });
    } catch (failure) {
      if (turn === latest.current) setState({ key, data: known.get(key) as R | undefined, failure: failure as Failure, loading: false });
    }
  };
  const followers = useRef<number[]>([]);
  const stopFollowing = () => followers.current.forEach((timer) => window.clearTimeout(timer));
  const follow = () => {
    void read();
    stopFollowing();
    followers.current = followAfter.map((milliseconds) => window.setTimeout(() => void read(), milliseconds));
  };
  useEffect(() => {
    asked.current = { key, document, variables };
    void read();
    // The key stands for the document and the variables.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key]);
  useEffect(() => stopFollowing, []);
  return { data: state.data, failure: state.failure, loading: state.loading || (key !== "" && state.key !== key), reload: () => void read(), follow };
}
