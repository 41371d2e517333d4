import { afterEach } from '@jest/globals';

const before = new Map<string, string | undefined>();

afterEach(() => {
  for (const [name, value] of before) put(name, value);
  before.clear();
});

/** Sets variables of this process for the rest of the test; undefined takes one away. */
export function setProcessEnv(values: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!before.has(name)) before.set(name, process.env[name]);
    put(name, value);
  }
}

function put(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
