/** The values of the variables of a template. Undefined values are left out. */
export type Values = Record<string, string | number | boolean | readonly string[] | undefined>;

interface Operator {
  first: string;
  between: string;
  named: boolean;
  reserved: boolean;
}

const operators: Record<string, Operator> = {
  "": { first: "", between: ",", named: false, reserved: false },
  "+": { first: "", between: ",", named: false, reserved: true },
  "#": { first: "#", between: ",", named: false, reserved: true },
  ".": { first: ".", between: ".", named: false, reserved: false },
  "/": { first: "/", between: "/", named: false, reserved: false },
  ";": { first: ";", between: ";", named: true, reserved: false },
  "?": { first: "?", between: "&", named: true, reserved: false },
  "&": { first: "&", between: "&", named: true, reserved: false },
};

/** expand expands a URI template (RFC 6570) whose variables are texts or lists of texts. */
export function expand(template: string, values: Values): string {
  return template.replace(/\{([+#./;?&]?)([^{}]+)\}/g, (_, sign: string, variables: string) => {
    const operator = operators[sign]!;
    const parts = variables.split(",").flatMap((variable) => expandVariable(operator, variable, values));
    return parts.length ? operator.first + parts.join(operator.between) : "";
  });
}

function expandVariable(operator: Operator, variable: string, values: Values): string[] {
  const [, name = "", explode, length] = /^([^*:]+)(\*)?(?::(\d+))?$/.exec(variable) ?? [];
  const value = values[name];
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  const texts = (Array.isArray(value) ? value : [value]).map((one) =>
    encode(String(one).slice(0, length ? Number(length) : undefined), operator.reserved));
  const written = (text: string) => (operator.named ? `${name}=${text}` : text);
  return explode ? texts.map(written) : [written(texts.join(","))];
}

function encode(text: string, reserved: boolean): string {
  const encoded = encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  if (!reserved) return encoded;
  return encoded.replace(/%(?:3A|2F|3F|23|5B|5D|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)/g, decodeURIComponent);
}
