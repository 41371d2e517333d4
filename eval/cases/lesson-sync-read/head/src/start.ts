import { readFileSync } from 'node:fs';

export function start(path: string): number {
  const text = readFileSync(path, 'utf8');
  const { port } = JSON.parse(text) as { port: string };
  return Number(port) | 0;
}
