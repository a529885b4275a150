import { useEffect, useState } from "react";
import {
  Button, Form, Input, Label, ListBox, ListBoxItem, Popover, Select, SelectValue, Text, TextArea, TextField,
} from "react-aria-components";

import type { Request } from "./client";
import { type Field, fieldsOf } from "./fields";
import type { Link } from "./hal";
import { type Value, expand } from "./template";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The form of a link: a field for each variable, a method and a body. */
export function RequestForm({ link, send }: { link: Link; send: (request: Request) => void }) {
  const [fields, setFields] = useState<Field[]>();
  const [values, setValues] = useState<Record<string, Value>>({});
  const [method, setMethod] = useState("GET");
  const [body, setBody] = useState("");
  useEffect(() => { void fieldsOf(link.href).then(setFields); }, [link.href]);
  if (!fields) return null;

  const set = (name: string) => (value: Value) => setValues((all) => ({ ...all, [name]: value }));
  return (
    <Form className="fill" aria-label={link.rel} autoComplete="off" onSubmit={(event) => {
      event.preventDefault();
      send({ method, address: expand(link.href, values), body: method === "GET" ? "" : body });
    }}>
      {fields.map((field, at) => <FieldOf key={field.name} field={field} first={at === 0} change={set(field.name)} />)}
      <Choice label="Method" choices={methods} first={fields.length === 0} value={method} change={(value) => setMethod(value ?? "GET")} />
      <TextField className="body" value={body} onChange={setBody}>
        <Label>Body (JSON)</Label>
        <TextArea rows={3} spellCheck={false} />
      </TextField>
      <Button type="submit">Send</Button>
    </Form>
  );
}

function FieldOf({ field, first, change }: { field: Field; first: boolean; change: (value: Value) => void }) {
  if (field.several && field.choices.length > 0) return <Choices field={field} change={change} />;
  if (field.choices.length > 0) return <Choice label={field.label} help={field.help} choices={field.choices} first={first} empty change={change} />;
  return (
    <TextField className="field" type={field.input} isRequired={field.required} autoFocus={first} onChange={(text) => {
      change(text === "" ? undefined : field.explode ? text.split(",").map((one) => one.trim()) : text);
    }}>
      <Label>{field.label}</Label>
      <Input min={field.minimum} max={field.maximum} placeholder={field.placeholder} spellCheck={false} />
      {field.help && <Text slot="description" elementType="small">{field.help}</Text>}
    </TextField>
  );
}

/** A choice of several values. */
function Choices({ field, change }: { field: Field; change: (value: Value) => void }) {
  const id = `choices-${field.name}`;
  return (
    <div className="field">
      <span id={id} className="label">{field.label}</span>
      <ListBox aria-labelledby={id} selectionMode="multiple" items={field.choices.map((value) => ({ id: value }))}
        onSelectionChange={(keys) => change(keys === "all" ? field.choices : [...keys].map(String))}>
        {({ id: value }) => <ListBoxItem id={value}>{value}</ListBoxItem>}
      </ListBox>
      {field.help && <small>{field.help}</small>}
    </div>
  );
}

interface ChoiceProps {
  label: string; help?: string; choices: string[]; first: boolean; value?: string;
  /** Whether nothing may be chosen. */
  empty?: boolean;
  change: (value: string | undefined) => void;
}

/** A choice of one value. */
function Choice({ label, help, choices, first, value, empty, change }: ChoiceProps) {
  const none = "(none)";
  return (
    <Select className="field" defaultValue={value ?? none} autoFocus={first} onChange={(key) => change(key === none || key === null ? undefined : String(key))}>
      <Label>{label}</Label>
      <Button className="secondary"><SelectValue /> <span aria-hidden="true">▾</span></Button>
      {help && <Text slot="description" elementType="small">{help}</Text>}
      <Popover className="popover">
        <ListBox items={(empty ? [none, ...choices] : choices).map((id) => ({ id }))}>
          {({ id }) => <ListBoxItem id={id}>{id}</ListBoxItem>}
        </ListBox>
      </Popover>
    </Select>
  );
}
