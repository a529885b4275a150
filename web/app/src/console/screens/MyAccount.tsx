import { useState } from "react";

import { ask, useQuery } from "../graphql";
import {
  BeginSecondFactorEnrollmentDocument, type BeginSecondFactorEnrollmentMutation, EnrollSecondFactorDocument, MySecondFactorDocument, RemoveSecondFactorDocument, RenewRecoveryCodesDocument,
} from "../operations";
import { Copy, Empty, Field, Form, Heading, Loaded, Time, useNotice, valueOf } from "../parts/parts";
import { useViewer } from "../viewer";
import { words } from "../format";

/** The account of the person who is signed in: how they sign in. */
export function MyAccount() {
  const viewer = useViewer();
  const found = useQuery(MySecondFactorDocument, {});
  const [codes, setCodes] = useState<string[]>();
  const changed = (next?: string[]) => {
    setCodes(next);
    found.reload();
  };
  return (
    <>
      <Heading title="My account" />
      <p className="quiet">{viewer.userName ?? viewer.user}{viewer.staffRole && `, ${words(viewer.staffRole).toLowerCase()}`} of {viewer.accountName ?? viewer.account}.</p>
      <section className="card" aria-labelledby="factor">
        <h2 id="factor">Second factor</h2>
        {codes && <RecoveryCodes codes={codes} done={() => setCodes(undefined)} />}
        <Loaded result={found}>
          {({ viewer: { secondFactor } }) => secondFactor
            ? (
              <>
                <p>Set up <Time at={secondFactor.createdAt} />. {secondFactor.recoveryCodes} recovery codes are left.</p>
                <Change changed={changed} />
              </>
            )
            : <Enrollment enrolled={changed} />}
        </Loaded>
      </section>
    </>
  );
}

/** Shows recovery codes, this once. */
function RecoveryCodes({ codes, done }: { codes: string[]; done: () => void }) {
  return (
    <div role="status">
      <p>If you lose your device, each of these codes lets you sign in once. They are not shown again, so print them or store them in a password manager.</p>
      <ul className="codes">{codes.map((code) => <li key={code}><code>{code}</code></li>)}</ul>
      <p className="row"><Copy text={codes.join("\n")} label="Copy the codes" /><button type="button" className="secondary" onClick={done}>I have stored the codes</button></p>
    </div>
  );
}

const code = (label: string, hint: string) => <Field label={label} hint={hint}>{(id) => <input id={id} name="code" autoComplete="one-time-code" required maxLength={40} />}</Field>;

function Enrollment({ enrolled }: { enrolled: (codes: string[]) => void }) {
  const [begun, setBegun] = useState<BeginSecondFactorEnrollmentMutation["beginSecondFactorEnrollment"]>();
  const begin = async () => setBegun((await ask(BeginSecondFactorEnrollmentDocument, {})).beginSecondFactorEnrollment);
  const enroll = async (data: FormData) => {
    if (begun) enrolled((await ask(EnrollSecondFactorDocument, { secret: begun.secret, code: valueOf(data, "code") ?? "" })).enrollSecondFactor);
  };
  if (!begun) {
    return (
      <>
        <Empty>You sign in with your password alone. With a second factor, somebody who learns your password cannot sign in without your device.</Empty>
        <Form label="Set up a second factor" submit="Set up a second factor" send={begin}>{null}</Form>
      </>
    );
  }
  return (
    <Form label="Confirm the second factor" submit="Confirm" send={enroll}>
      <p>Scan this code with an authenticator app.</p>
      <img className="qr" alt="The secret as a QR code" src={`data:image/svg+xml,${encodeURIComponent(begun.qrCode)}`} />
      <p><a href={begun.uri}>Open an app on this device</a>, or type this secret into the app: <code>{begun.secret.match(/.{4}/g)?.join(" ")}</code></p>
      {code("Code", "The six digits that the app shows now.")}
    </Form>
  );
}

function Change({ changed }: { changed: (codes?: string[]) => void }) {
  const notice = useNotice();
  const renew = async (data: FormData) => changed((await ask(RenewRecoveryCodesDocument, { code: valueOf(data, "code") ?? "" })).renewRecoveryCodes);
  const remove = async (data: FormData) => {
    await ask(RemoveSecondFactorDocument, { code: valueOf(data, "code") ?? "" });
    notice({ text: "The second factor is removed. You sign in with your password alone." });
    changed();
  };
  const hint = "The code that the app shows now, or a recovery code.";
  return (
    <div className="halves">
      <details>
        <summary>New recovery codes</summary>
        <Form label="New recovery codes" submit="Replace the recovery codes" send={renew}>{code("Code to replace the recovery codes", hint)}</Form>
      </details>
      <details>
        <summary>Remove the second factor</summary>
        <Form label="Remove the second factor" submit="Remove the second factor" send={remove}>{code("Code to remove the second factor", hint)}</Form>
      </details>
    </div>
  );
}
