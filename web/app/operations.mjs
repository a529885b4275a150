// Writes the types of the console's operations from the schema of the service. An operation that the schema refuses, and a
// use of a field that an operation does not ask for, does not build.
import { codegen } from "@graphql-codegen/core";
import * as operationsPlugin from "@graphql-codegen/typescript-operations";
import * as documentPlugin from "@graphql-codegen/typed-document-node";
import { buildSchema, parse, print, validate } from "graphql";
import { readFile } from "node:fs/promises";

const strings = ["DateTime", "Date", "Month", "Duration", "Reference", "Seconds", "Decimal"];
const scalars = { JSON: "unknown", Count: "number", Links: "unknown", References: "string[]", FacetMap: "unknown", ID: "string" };
for (const name of strings) scalars[name] = "string";

// operationsOf returns the source of operations.ts.
export async function operationsOf(schemaFile, documentsFile) {
  const schema = buildSchema(await readFile(schemaFile, "utf8"));
  const document = parse(await readFile(documentsFile, "utf8"));
  const faults = validate(schema, document);
  if (faults.length > 0) throw new Error(faults.map(String).join("\n\n"));
  return codegen({
    schema: parse(await readFile(schemaFile, "utf8")), schemaAst: schema, documents: [{ location: documentsFile, document, rawSDL: print(document) }],
    filename: "operations.ts",
    config: {
      scalars, strictScalars: true, defaultScalarType: "unknown", useTypeImports: true, skipTypename: true, enumsAsTypes: true, enumType: "string-literal",
      documentMode: "string", dedupeFragments: true, avoidOptionals: false, maybeValue: "T | null",
    },
    pluginMap: { operations: operationsPlugin, documents: documentPlugin },
    plugins: [{ operations: {} }, { documents: {} }],
  });
}
