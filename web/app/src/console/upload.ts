// Files over HTTP: resumable uploads (tus 1.0, tus.io), and downloads with the token.
import { Failure, authorization, unreachable } from "./graphql";

const pieceSize = 8 << 20;
const mostFailures = 6; // in a row
const base = () => new URL("uploads/", document.baseURI);

async function send(method: string, address: URL, headers: Record<string, string>, body?: Blob): Promise<Response> {
  const token = await authorization();
  return fetch(address, {
    method, cache: "no-store", credentials: "omit", body: body ?? null,
    headers: { Authorization: `Bearer ${token}`, "Tus-Resumable": "1.0.0", ...headers },
  }).catch(() => { throw unreachable(); });
}

async function refused(response: Response): Promise<Failure> {
  const answer = await response.json().catch(() => ({})) as { message?: string };
  return new Failure(answer.message ?? `The server answers ${response.status}.`, String(response.status), [], response.headers.get("X-Service-Trace-Id") ?? "");
}

const encoded = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Uploads a file and returns its id. An upload that is interrupted continues where it stopped. The error is a Failure. */
export async function upload(file: File, report: (sent: number) => void): Promise<string> {
  const metadata = `filename ${encoded(file.name)}${file.type && `,filetype ${encoded(file.type)}`}`;
  const made = await send("POST", base(), { "Upload-Length": String(file.size), "Upload-Metadata": metadata });
  if (!made.ok) throw await refused(made);
  const id = (made.headers.get("Location") ?? "").split("/").at(-1) ?? "";
  const address = new URL(id, base());
  for (let at = 0, failures = 0; at < file.size;) {
    try {
      const patched = await send("PATCH", address, { "Upload-Offset": String(at), "Content-Type": "application/offset+octet-stream" }, file.slice(at, at + pieceSize));
      if (patched.ok) {
        at = Number(patched.headers.get("Upload-Offset"));
        failures = 0;
        report(at);
        continue;
      }
      if (patched.status < 500 && patched.status !== 409 && patched.status !== 429) throw await refused(patched);
    } catch (failure) {
      if ((failure as Failure).code !== "UNREACHABLE") throw failure;
    }
    if (++failures === mostFailures) throw new Failure("The upload was interrupted. Check the connection, then choose the file again.", "UNREACHABLE", [], "");
    await new Promise((resume) => setTimeout(resume, 500 * 2 ** failures));
    const asked = await send("HEAD", address, {}).catch(() => undefined);
    if (asked?.ok) at = Number(asked.headers.get("Upload-Offset"));
  }
  return id;
}

/** Downloads a file of a job under its name. The error is a Failure. */
export async function download(file: { name: string; path: string }): Promise<void> {
  const response = await send("GET", new URL(file.path.split("/").at(-1) ?? "", base()), {});
  if (!response.ok) throw await refused(response);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = file.name;
  link.click();
  URL.revokeObjectURL(link.href);
}
