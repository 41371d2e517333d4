import { join } from 'node:path';
import { messageOf } from '../../../core/errors.js';
import type { Files } from '../../../core/files.js';
import type { MemoryStore } from '../../store.js';

/** Name of the file that tells git what not to commit. */
const NAME = '.gitignore';

/** Copies hold what was forgotten; states hold what became of findings, so they are committed. */
const TEXT = `# axe-action keeps former versions and locks next to the memory. They stay on this machine.
# Commit everything else, *.state.md too: it holds what became of findings and what runs cost.
*.bak
*.lock
.axe-*.tmp
`;

/** The store with a `.gitignore` in its folder once something is saved there. One that exists is left as it is. */
export function withIgnoreFile(
  store: MemoryStore,
  { files, folder }: { readonly files: Files; readonly folder: string },
): MemoryStore {
  return {
    ...store,
    async write(changes, signal) {
      const saved = await store.write(changes, signal);
      if (saved.kind === 'failed' || saved.attempts === 0) return saved;
      try {
        await files.createExclusive(join(folder, NAME), TEXT);
        return saved;
      } catch (thrown) {
        const notice = `${join(folder, NAME)} could not be written: ${messageOf(thrown)}. Do not commit \`*.bak\` files.`;
        return { ...saved, notices: [...(saved.notices ?? []), notice] };
      }
    },
  };
}
