// Files that the server makes for staff. A link cannot carry the token, so the page fetches them.
import { Failure, authorization, unreachable } from "./graphql";

/** Saves a file of the server under the name that the server gives it. The error is a Failure. */
export async function download(path: string): Promise<void> {
  const token = await authorization();
  const response = await fetch(new URL(path, document.baseURI), {
    cache: "no-store", credentials: "omit", headers: { Authorization: `Bearer ${token}` },
  }).catch(() => { throw unreachable(); });
  if (!response.ok) {
    const answer = await response.json().catch(() => ({})) as { message?: string };
    throw new Failure(answer.message ?? `The server answers ${response.status}.`, String(response.status), [], response.headers.get("X-Service-Trace-Id") ?? "");
  }
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? path.split("/").at(-1) ?? "file";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
