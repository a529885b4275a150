// Reads xAPI statements, one on each line, and tells what Learning Locker's validation has against them.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const validate = createRequire(import.meta.url)('@learninglocker/xapi-validation').default;

let valid = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const warnings = validate(JSON.parse(line));
  if (warnings.length === 0) valid++;
  for (const warning of warnings) {
    const path = [warning.path].flat(Infinity).join('.');
    console.log(`${warning.constructor.name} at ${path}: ${line}`);
  }
}
console.log(`valid: ${valid}`);
