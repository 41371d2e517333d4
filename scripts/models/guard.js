// Finds what a person has to look at before new figures are used: data from others must never
// switch a limit off without being seen.
import { HOSTS, sellersIn, sourceRows } from './rows.js';

/** A price that changes by more than this factor is more likely an error. */
const MOST_CHANGE = 5;

/** A seller that keeps less than this share of its models has more likely moved them. */
const LEAST_KEPT = 0.75;

const NAME = /^[\w.:/@-]+$/;

/** Changes from `before` to `after`, rows by seller and model, that only a person can accept. */
export function suspiciousChanges(before, after) {
  return Object.keys({ ...before, ...after }).flatMap((seller) => {
    const [known, rows] = [before[seller] ?? {}, after[seller] ?? {}];
    const changes = Object.entries(rows).flatMap(([model, row]) =>
      rowChanges(row, known[model], HOSTS.includes(seller)).map(
        (change) => `${seller}/${model}: ${change}`,
      ),
    );
    const total = Object.keys(known).length;
    const kept = Object.keys(known).filter((model) => model in rows).length;
    if (kept < total * LEAST_KEPT) changes.push(`${seller}: ${kept} of ${total} models are left`);
    const strange = Object.keys(rows).filter((model) => !NAME.test(model));
    return [
      ...changes,
      ...strange.map((model) => `${seller}: unusual name ${JSON.stringify(model)}`),
    ];
  });
}

function rowChanges({ price }, known, isHost) {
  const isFree = ([input, output]) => input === 0 || output === 0;
  const wasFree = known !== undefined && isFree(known.price);
  if (isFree(price)) return isHost || wasFree ? [] : [`costs nothing: ${price.join(' ')}`];
  if (known === undefined) return [];
  const isLarge = price.some(
    (figure, index) =>
      figure > known.price[index] * MOST_CHANGE || figure * MOST_CHANGE < known.price[index],
  );
  return isLarge ? [`the price changed from ${known.price.join(' ')} to ${price.join(' ')}`] : [];
}

/** Overrides that have to go or to be corrected, so that the list stays short and true. */
export function staleOverrides(overrides, providers, today) {
  const rows = Object.fromEntries(
    sellersIn(providers).map(([name, seller]) => [seller, sourceRows(providers[name].models)]),
  );
  return Object.entries(overrides).flatMap(([seller, models]) =>
    Object.entries(models).flatMap(([model, override]) =>
      overrideProblems(override, rows[seller]?.[model], today).map(
        (problem) => `override of ${seller}/${model}: ${problem}`,
      ),
    ),
  );
}

function overrideProblems({ why, seen, then, ...fields }, row, today) {
  const problems = [];
  if (typeof why !== 'string' || why === '') problems.push('`why` is missing');
  if (!/^\d{4}-\d\d-\d\d$/.test(seen ?? '')) problems.push('`seen` is not a date');
  if (then !== undefined && !(then.from > today))
    problems.push(
      `the price from ${then.from} on is due: check what the source says, and remove it`,
    );
  if (row === undefined && !('price' in fields && 'window' in fields))
    problems.push('the source does not have the model');
  const values = { ...fields, ...(then && { price: then.price }) };
  const isSame = Object.entries(values).every(
    ([key, value]) => JSON.stringify(row?.[key]) === JSON.stringify(value),
  );
  if (isSame) problems.push('the source says the same now: remove it');
  return problems;
}

/** Differences between the addresses and keys of `catalog`, providers by id, and the source. */
export function sellerDifferences(providers, catalog) {
  return sellersIn(providers).flatMap(([name, seller]) => {
    const { api, env = [] } = providers[name];
    const provider = catalog[seller];
    if (provider === undefined) return [];
    const keys = [provider.keyVariable, ...provider.otherKeyVariables];
    const hasKey = env.length === 0 || env.some((variable) => keys.includes(variable));
    const host = (address) => (URL.canParse(address) ? new URL(address).host : address);
    const isSameHost = api === undefined || host(api) === host(provider.defaultBaseUrl ?? '');
    return [
      ...(hasKey
        ? []
        : [`${seller}: the source reads ${env.join(', ')}, we read ${keys.join(', ')}`]),
      ...(isSameHost
        ? []
        : [`${seller}: the source asks ${api}, we ask ${provider.defaultBaseUrl}`]),
    ];
  });
}
