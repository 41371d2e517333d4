import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the action that a file of its code lies below: the nearest with an `action.yml`; without one, `folder`. */
export function actionFolder(folder: string): string {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (['action.yml', 'action.yaml'].some((name) => existsSync(join(at, name)))) return at;
  }
  return folder;
}
