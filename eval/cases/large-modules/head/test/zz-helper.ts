import { execSync } from 'node:child_process';

export function run(name: string): string {
  return execSync(`./tools/${name}.sh`).toString();
}
