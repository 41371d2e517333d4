import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A workflow as it is written. */
interface WorkflowText {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly text: string;
}

/** The workflows of a repository by name; those that cannot be read are left out. */
export async function readWorkflows(root: string): Promise<readonly WorkflowText[]> {
  const folder = '.github/workflows';
  const names = await readdir(join(root, folder)).catch(() => []);
  const found = names
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map(async (name) => {
      const text = await readFile(join(root, folder, name), 'utf8').catch(() => undefined);
      return text === undefined ? [] : [{ file: `${folder}/${name}`, text }];
    });
  return (await Promise.all(found)).flat();
}
