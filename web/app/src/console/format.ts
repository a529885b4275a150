// How values read.

const numbers = new Intl.NumberFormat("en");
const calendar = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
const local = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export const number = (value: number) => numbers.format(value);
/** Writes a day without a time, such as 2030-07-31. Days of the server are UTC days, whatever the time zone of the browser. */
export const day = (value: string) => calendar.format(new Date(value));
/** Writes an instant in the time zone of the browser. */
export const instant = (value: string) => exact.format(new Date(value));

export function ago(value: string): string {
  const seconds = (new Date(value).getTime() - Date.now()) / 1000;
  for (const [unit, length, most] of [["second", 1, 60], ["minute", 60, 60], ["hour", 3600, 24], ["day", 86400, 30]] as const) {
    if (Math.abs(seconds) / length < most) return relative.format(Math.round(seconds / length), unit);
  }
  return local.format(new Date(value));
}

/** Writes a number of bytes, such as 1.5 MiB. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(value, 1)) / 10)));
  const scaled = value / 1024 ** step;
  return `${scaled.toFixed(step > 0 && scaled < 10 ? 1 : 0)} ${units[step]}`;
}

/** Writes an exact amount, whose digits the server has chosen, with its currency. */
export function money(amount: string, currency: string): string {
  const [whole = "", fraction] = amount.split(".", 2);
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${fraction === undefined ? "" : `.${fraction}`} ${currency}`;
}

/** Writes seconds as hours and minutes, such as 3 h 20 min. */
export function hours(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${number(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** Writes an ISO 8601 duration as a clock does, such as 1:04:05. */
export function clock(duration: string): string {
  const [, h = "0", m = "0", s = "0"] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?$/.exec(duration) ?? [];
  const two = (text: string) => text.padStart(2, "0");
  return h === "0" ? `${m}:${two(s)}` : `${h}:${two(m)}:${two(s)}`;
}

/** Writes a value of a record on one line. */
export function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "empty";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/** Writes a constant such as CUSTOMER_MANAGER as words. */
export function words(constant: string): string {
  const text = constant.replaceAll("_", " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
