// Periods of UTC days.

const length = 86_400_000;
const today = () => Math.floor(Date.now() / length) * length;

/** Returns the UTC day a number of days ago. */
export const dayOf = (ago: number) => new Date(today() - ago * length).toISOString().slice(0, 10);

/** Returns the period of a number of days that ends with today, or before as many days more. */
export function days(count: number, earlier = 0): { from: string; to: string } {
  const end = today() + length - earlier * length;
  return { from: new Date(end - count * length).toISOString(), to: new Date(end).toISOString() };
}

/** Returns a month, such as 2026-11, a number of months ago. */
export function monthOf(ago: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString().slice(0, 7);
}

/** Returns the first instants of a month and of the next. */
export function monthPeriod(month: string): { from: string; to: string } {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return { from: new Date(Date.UTC(year, number - 1, 1)).toISOString(), to: new Date(Date.UTC(year, number, 1)).toISOString() };
}

const grace = 7 * length; // for devices that were offline

/** Reports whether a month cannot be sealed yet, unless it is forced. */
export const isOpen = (month: string) => Date.now() < new Date(monthPeriod(month).to).getTime() + grace;
