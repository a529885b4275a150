import { useState } from "react";
import { fetchToken } from "./fetcher.js";

// TokenForm accepts a token, or a client's id and secret to request one. It does not keep the secret.
export function TokenForm({ token, onToken }) {
  const [clientID, setClientID] = useState("");
  const [secret, setSecret] = useState("");
  const [failure, setFailure] = useState("");

  const ask = async (event) => {
    event.preventDefault();
    setFailure("");
    try {
      onToken(await fetchToken(clientID, secret));
    } catch (error) {
      setFailure(`No token: ${error.message}`);
    }
    setSecret("");
  };

  return (
    <form onSubmit={ask} autoComplete="off">
      <Field label="Token" id="token" type="password" value={token} onValue={(text) => onToken(text.trim())} />
      <span>or</span>
      <Field label="Client id" id="client-id" value={clientID} onValue={setClientID} required />
      <Field label="Secret" id="client-secret" type="password" value={secret} onValue={setSecret} />
      <button type="submit">Get a token</button>
      <output htmlFor="token client-id client-secret" aria-live="polite">
        {failure || (token ? "Requests carry the token." : "No token yet.")}
      </output>
    </form>
  );
}

function Field({ label, id, type = "text", value, onValue, required = false }) {
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id} type={type} value={value} required={required} spellCheck={false} autoComplete="off"
        onChange={(event) => onValue(event.target.value)}
      />
    </>
  );
}
