import { openSync, readSync } from 'node:fs';

export function firstByte(path: string): number {
  const file = openSync(path, 'r');
  const bytes = Buffer.alloc(1);
  readSync(file, bytes);
  return bytes[0] ?? 0;
}
