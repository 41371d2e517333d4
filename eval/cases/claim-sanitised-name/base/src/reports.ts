import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = '/srv/reports';

export async function latestReport(): Promise<string> {
  return await readFile(join(FOLDER, 'latest.html'), 'utf8');
}
