import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

// The bundler makes a chunk for every set of entries that share code, which would be some eighty small files for one start of
// the action, and Node takes longer for a file than for its bytes. Code that an entry loads anyway may as well be shared by
// all that the entry loads later. So each module behind an `import()` is made to import what is loaded before it, and that
// becomes one chunk. It costs nothing: it is loaded by then.

/**
 * What to import in each module of ours behind an `import()`, by the graph of a first bundling. `starts` are the modules
 * whose static imports belong together: no two of them run in one process.
 */
export function planChunks({ inputs }, starts) {
  const eager = starts.map((start) => new Set(closure([start], inputs, 'static')));
  const lazy = starts.map((start) => new Set(closure([start], inputs, 'all')));
  const plan = new Map();
  for (const module of lazyModules(inputs)) {
    const sets = eager.filter((_, index) => lazy[index].has(module));
    if (sets.length === 0 || starts.includes(module)) continue;
    const loaded = [...sets[0]].filter((file) => sets.every((set) => set.has(file)));
    plan.set(
      module,
      loaded.filter((file) => isOurs(file) && !starts.includes(file)),
    );
  }
  return plan;
}

/** Adds the imports of a plan. */
export function followPlan(plan, root) {
  return {
    name: 'chunk-plan',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]lib[\\/].*\.js$/ }, async ({ path }) => {
        const loaded = plan.get(relative(root, path).replaceAll(sep, '/'));
        if (loaded === undefined) return undefined;
        const imports = loaded.map((file) => `import ${JSON.stringify(join(root, file))};`);
        return { contents: `${imports.join('')}\n${await readFile(path, 'utf8')}`, loader: 'js' };
      });
    },
  };
}

/** Modules of ours that somebody imports by `import()`. */
function lazyModules(inputs) {
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  const lazy = imports.filter(({ kind, path }) => kind === 'dynamic-import' && isOurs(path));
  return [...new Set(lazy.map(({ path }) => path))].sort();
}

function isOurs(file) {
  return file.startsWith('lib/');
}

/** All files that lead on from these, sorted. */
function closure(from, inputs, kinds) {
  const reached = new Set();
  const waiting = [...from];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const { path, kind } of inputs[file]?.imports ?? []) {
      if (kinds === 'all' || kind !== 'dynamic-import') waiting.push(path);
    }
  }
  return [...reached].sort();
}
