// Periods of UTC days.

/** A period from its first instant to the first instant after it. */
export interface Period { from: string; to: string }

const length = 86_400_000;
const today = () => Math.floor(Date.now() / length) * length;

/** Returns the UTC day a number of days ago. */
export const dayOf = (ago: number) => new Date(today() - ago * length).toISOString().slice(0, 10);

/** Returns the period of a number of days that ends with today, or before as many days more. */
export function days(count: number, earlier = 0): Period {
  const end = today() + length - earlier * length;
  return { from: new Date(end - count * length).toISOString(), to: new Date(end).toISOString() };
}

/** Returns a month, such as 2026-11, a number of months ago. */
export function monthOf(ago: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString().slice(0, 7);
}

/** Returns the first instants of a month and of the next. */
export function monthPeriod(month: string): Period {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return { from: new Date(Date.UTC(year, number - 1, 1)).toISOString(), to: new Date(Date.UTC(year, number, 1)).toISOString() };
}

/** Returns the days of a period that have begun, each by its first instant. */
export function daysOf({ from, to }: Period): string[] {
  const first = new Date(from).getTime(), end = Math.min(new Date(to).getTime(), today() + length);
  return Array.from({ length: Math.max(0, (end - first) / length) }, (_, i) => new Date(first + i * length).toISOString());
}

/** A period by name. before is the period that it is compared with: none for a month that has not ended. */
export interface NamedPeriod { name: string; period: Period; before?: Period }

/** A number of months, the last of which is some months ago. */
const months = (count: number, ago = 1): Period => ({ from: monthPeriod(monthOf(ago + count - 1)).from, to: monthPeriod(monthOf(ago)).to });

/** This month and the last. The server counts videos and users by month; for a part of a month, it reads each play. */
export const recentMonths = (): NamedPeriod => ({ name: "This month and last", period: months(2, 0) });

/** The last days with as many days before. */
export const recentDays = (count: number): NamedPeriod => ({ name: `Last ${count} days`, period: days(count), before: days(count, count) });

/** Returns the periods of reports by their names in addresses, the default first. */
export const reportPeriods = (): Record<string, NamedPeriod> => ({
  recent: recentMonths(),
  month: { name: "This month", period: months(1, 0) },
  "last-month": { name: "Last month", period: months(1), before: months(1, 2) },
  "last-3-months": { name: "Last 3 months", period: months(3), before: months(3, 4) },
  "7-days": recentDays(7),
  "30-days": recentDays(30),
});

const grace = 7 * length; // for devices that were offline

/** Returns the time from which a month is sealed without force. */
export const dueOf = (month: string) => new Date(new Date(monthPeriod(month).to).getTime() + grace).toISOString();
