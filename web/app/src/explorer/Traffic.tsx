import { type Exchange, shortened } from "./client";

/** The exchanges, the latest first. */
export function Traffic({ exchanges }: { exchanges: Exchange[] }) {
  return (
    <ol id="traffic" reversed>
      {exchanges.map((exchange, at) => (
        <li key={exchanges.length - at}>
          <details>
            <summary>{exchange.method} {shortened(exchange.address)} – {exchange.status} {exchange.statusText}, {exchange.milliseconds} ms</summary>
            <h3>Request</h3>
            <pre tabIndex={0}>{`${exchange.method} ${exchange.address}\n${linesOf(exchange.requestHeaders)}${exchange.body ? `\n\n${exchange.body}` : ""}`}</pre>
            <h3>Response</h3>
            <pre tabIndex={0}>{`${exchange.status} ${exchange.statusText}\n${linesOf(exchange.headers)}\n\n${exchange.text}`}</pre>
          </details>
        </li>
      ))}
    </ol>
  );
}

function linesOf(headers: Record<string, string>): string {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`).join("\n");
}
