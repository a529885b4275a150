import { useState } from "react";

import { money, number } from "../format";
import { ask, useQuery } from "../graphql";
import { DeletePricePlanDocument, PricePlansDocument, PricePreviewDocument, PutPricePlanDocument, type PricePlansQuery, type PriceUnit } from "../operations";
import { useEdit } from "../parts/edit";
import { Empty, Field, Form, Heading, Loaded, Table, useAction, useNotice } from "../parts/parts";
import { go, href } from "../routes";
import { useMay } from "../viewer";
import { Lines, unitName } from "./Invoices";

type Plan = PricePlansQuery["pricePlans"]["nodes"][number];
interface Steps { allowance: string; steps: { upTo: string; price: string }[] }
type Draft = Record<PriceUnit, Steps>;

const units = Object.keys(unitName) as PriceUnit[];

/** The price plans, or the form of one of them. */
export function Prices({ id }: { id: string }) {
  const found = useQuery(PricePlansDocument, {});
  const mayManage = useMay("MANAGE_BILLING");
  return (
    <Loaded result={found}>
      {({ pricePlans: { nodes } }) => {
        const plan = nodes.find((one) => one.id === id);
        if (id === "new" || plan) return <Edit plan={plan} mayManage={mayManage} changed={found.reload} />;
        if (id) return <><Heading title="Price plan" /><Empty>There is no such plan. <a href={href("prices")}>All plans</a></Empty></>;
        return (
          <>
            <Heading title="Price plans">{mayManage && <a className="button" href={href("prices", "new")}>New plan</a>}</Heading>
            <Table label="Price plans" rows={nodes} keyOf={(one) => one.id} empty="There are no price plans, so nobody gets invoices." columns={[
              { name: "Name", cell: (one) => <a href={href("prices", one.id)}>{one.name}</a> },
              { name: "Fee", numeric: true, cell: (one) => money(one.monthlyFee, one.currency) },
              { name: "Minimum", numeric: true, cell: (one) => money(one.minimum, one.currency) },
              { name: "Charges for", cell: (one) => one.components.map((c) => unitName[c.unit].toLowerCase()).join(", ") || "the fee alone" },
            ]} />
          </>
        );
      }}
    </Loaded>
  );
}

const draftOf = (plan: Plan | undefined): Draft => Object.fromEntries(units.map((unit) => {
  const component = plan?.components.find((one) => one.unit === unit);
  return [unit, { allowance: String(component?.allowance ?? 0), steps: component?.steps.map((step) => ({ upTo: step.upTo === null ? "" : String(step.upTo), price: step.price })) ?? [] }];
})) as Draft;

const decimal = /^-?\d{1,15}(\.\d{1,10})?$/;

function Edit({ plan, mayManage, changed }: { plan: Plan | undefined; mayManage: boolean; changed: () => void }) {
  const edit = useEdit(plan?.version ?? 0, {
    id: plan?.id ?? "", name: plan?.name ?? "", currency: plan?.currency ?? "EUR", monthlyFee: plan?.monthlyFee ?? "0", minimum: plan?.minimum ?? "0", prices: draftOf(plan),
  }, changed);
  const { prices: draft, ...head } = edit.fields;
  const notice = useNotice();
  const act = useAction(changed);
  const components = units.filter((unit) => draft[unit].steps.length > 0).map((unit) => ({
    unit, allowance: Number(draft[unit].allowance), steps: draft[unit].steps.map((step) => ({ upTo: step.upTo === "" ? null : Number(step.upTo), price: step.price })),
  }));
  const set = (unit: PriceUnit, next: Partial<Steps>) => edit.set("prices", { ...draft, [unit]: { ...draft[unit], ...next } });
  const send = async () => {
    await edit.save(() => ask(PutPricePlanDocument, { input: { ...head, components }, version: plan?.version ?? 0 }));
    notice({ text: "Saved. Invoices that exist keep their prices." });
    changed();
    if (!plan) go(href("prices", head.id));
  };
  const remove = (id: string) => act(async () => { await ask(DeletePricePlanDocument, { id }); go(href("prices")); }, "The plan is deleted.");
  return (
    <>
      <Heading title={plan?.name ?? "New price plan"}>{mayManage && plan && <button type="button" className="secondary" onClick={() => void remove(plan.id)}>Delete</button>}</Heading>
      <div className="halves">
        <section className="card" aria-label="Prices">
          <Form label="Price plan" submit="Save" send={send} edit={edit}>
            <fieldset className="bare" disabled={!mayManage}>
              {!plan && <Field label="Id">{(id) => <input id={id} {...edit.text("id")} required pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" />}</Field>}
              <Field label="Name">{(id) => <input id={id} {...edit.text("name")} required maxLength={200} />}</Field>
              <Field label="Currency" hint="ISO 4217, such as EUR">{(id) => <input id={id} required pattern="[A-Z]{3}" value={head.currency} onChange={(event) => edit.set("currency", event.target.value.toUpperCase())} />}</Field>
              <Field label="Monthly fee">{(id) => <input id={id} required inputMode="decimal" {...edit.text("monthlyFee")} />}</Field>
              <Field label="Minimum per month" hint="Fee and usage cost at least this much.">{(id) => <input id={id} required inputMode="decimal" {...edit.text("minimum")} />}</Field>
              {units.map((unit) => <Unit key={unit} unit={unit} steps={draft[unit]} set={(next) => set(unit, next)} />)}
            </fieldset>
          </Form>
        </section>
        <Example plan={{ ...head, id: "example", name: "Example", components }} />
      </div>
    </>
  );
}

function Unit({ unit, steps: { allowance, steps }, set }: { unit: PriceUnit; steps: Steps; set: (next: Partial<Steps>) => void }) {
  const name = unitName[unit].toLowerCase();
  const change = (at: number, next: Partial<Steps["steps"][number]>) => set({ steps: steps.map((step, i) => i === at ? { ...step, ...next } : step) });
  return (
    <fieldset>
      <legend>{unitName[unit]}</legend>
      {steps.length > 0 && <Field label={`Free ${name} per month`}>{(id) => <input id={id} type="number" min={0} max={2147483647} required value={allowance} onChange={(event) => set({ allowance: event.target.value })} />}</Field>}
      {steps.map((step, at) => (
        // The order of steps is their identity.
        <div className="step" key={at}>
          {at < steps.length - 1
            ? <Field label={`Step ${at + 1}, up to`}>{(id) => <input id={id} type="number" min={1} max={2147483647} required value={step.upTo} onChange={(event) => change(at, { upTo: event.target.value })} />}</Field>
            : <span>{at === 0 ? `Each of all ${name}` : "Beyond that"}</span>}
          <Field label={`Price ${steps.length > 1 ? `in step ${at + 1}` : "per unit"}, ${name}`}>{(id) => <input id={id} required inputMode="decimal" value={step.price} onChange={(event) => change(at, { price: event.target.value })} />}</Field>
          <button type="button" className="secondary" onClick={() => set({ steps: steps.filter((_, i) => i !== at).map((one, i, all) => i === all.length - 1 ? { ...one, upTo: "" } : one) })}>Remove<span className="hidden"> step {at + 1} of {name}</span></button>
        </div>
      ))}
      <p><button type="button" className="secondary" onClick={() => set({ steps: [...steps, { upTo: "", price: "0" }] })}>{steps.length === 0 ? `Charge for ${name}` : "Add a step"}{steps.length > 0 && <span className="hidden"> of {name}</span>}</button></p>
    </fieldset>
  );
}

function Example({ plan }: { plan: Parameters<typeof valid>[0] }) {
  const [minutes, setMinutes] = useState(10_000), [plays, setPlays] = useState(5_000), [users, setUsers] = useState(200);
  const preview = useQuery(PricePreviewDocument, valid(plan) ? { plan, seconds: minutes * 60, plays, users } : undefined);
  const most = 30_000_000;
  return (
    <section className="card" aria-labelledby="example">
      <h2 id="example">A month costs</h2>
      <form aria-label="Example" onSubmit={(event) => event.preventDefault()}>
        {([["Minutes", minutes, setMinutes], ["Plays", plays, setPlays], ["Active users", users, setUsers]] as const).map(([name, value, set]) => (
          <Field key={name} label={`${name} in the month`} hint={number(value)}>{(id) => <input id={id} type="number" min={0} max={most} value={value} onChange={(event) => set(Math.min(most, Math.max(0, Math.floor(Number(event.target.value)))))} />}</Field>
        ))}
      </form>
      {valid(plan)
        ? <Loaded result={preview}>{({ pricePreview }) => <Lines label="Example lines" lines={pricePreview.lines} total={pricePreview.total} currency={plan.currency} />}</Loaded>
        : <Empty>Complete the prices to see an example.</Empty>}
    </section>
  );
}

/** Reports whether the fields of a plan are complete, so that the server can price it. */
function valid(plan: { id: string; name: string; currency: string; monthlyFee: string; minimum: string; components: { unit: PriceUnit; allowance: number; steps: { upTo: number | null; price: string }[] }[] }): boolean {
  return /^[A-Z]{3}$/.test(plan.currency) && decimal.test(plan.monthlyFee) && decimal.test(plan.minimum) &&
    plan.components.every(({ allowance, steps }) => Number.isInteger(allowance) && steps.every((step, i) => decimal.test(step.price) && (i === steps.length - 1) === (step.upTo === null)));
}
