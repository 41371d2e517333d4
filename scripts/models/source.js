// Reads models.dev: its published `api.json`, a copy of it, or a checkout of its repository.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';

const PUBLISHED = 'https://models.dev/api.json';

/** The providers of models.dev with their models; `from` is a file or a folder, absent: the web. */
export async function readSource(from) {
  if (from !== undefined)
    return statSync(from).isDirectory() ? readCheckout(from) : JSON.parse(readText(from));

  const response = await fetch(PUBLISHED, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${PUBLISHED} answered with status ${response.status}`);
  return await response.json();
}

/** A checkout in the form of `api.json`. */
export function readCheckout(folder) {
  const providers = readdirSync(join(folder, 'providers')).map((id) => {
    const home = join(folder, 'providers', id);
    const models = tomlFiles(join(home, 'models')).map(([name, file]) => [
      name,
      readModel(file, join(folder, 'models')),
    ]);
    const provider = parse(readText(join(home, 'provider.toml')));
    return [id, { ...provider, models: Object.fromEntries(models) }];
  });
  return Object.fromEntries(providers);
}

/** A provider's model over the facts of `base_model`, without those of `base_model_omit`. */
function readModel(file, bases) {
  const { base_model: base, base_model_omit: omitted = [], ...model } = parse(readText(file));
  if (base === undefined) return model;

  const merged = merge(parse(readText(join(bases, `${base}.toml`))), model);
  for (const path of omitted) remove(merged, path.split('.'));
  return merged;
}

/** Tables are merged; lists and values of the upper one replace those of the base. */
function merge(base, upper) {
  const pairs = Object.entries(upper).map(([key, value]) => [
    key,
    isTable(value) && isTable(base[key]) ? merge(base[key], value) : value,
  ]);
  return { ...base, ...Object.fromEntries(pairs) };
}

function isTable(value) {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function remove(table, [key, ...rest]) {
  if (rest.length === 0) delete table[key];
  else if (isTable(table[key])) remove(table[key], rest);
}

/** The TOML files of a folder with their names; a name can have folders of its own. */
function tomlFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.toml'))
    .map((name) => [name.slice(0, -'.toml'.length), join(folder, name)]);
}

function readText(file) {
  return readFileSync(file, 'utf8');
}
