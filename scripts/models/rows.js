// From models of models.dev to the rows of src/model/models.json.

/**
 * The sellers of the file by their names at models.dev: makers, whose names resellers use too, and
 * hosts with prices of their own.
 */
const SELLERS = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  xai: 'xai',
  deepseek: 'deepseek',
  minimax: 'minimax',
  mistral: 'mistral',
  moonshotai: 'moonshot',
  zai: 'zai',
  alibaba: 'alibaba',
  groq: 'groq',
  cerebras: 'cerebras',
  togetherai: 'together',
  'fireworks-ai': 'fireworks',
};

export const HOSTS = ['groq', 'cerebras', 'together', 'fireworks'];

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

/** The order of a row's fields. */
const FIELDS = ['price', 'above', 'long', 'window', 'output', 'efforts', 'thinks', 'then'];

/** The sellers that the source has, as `[name there, name here]`. */
export function sellersIn(providers) {
  return Object.entries(SELLERS).filter(([name]) => providers[name] !== undefined);
}

/** All rows, by seller and model, with the overrides in them. */
export function rowsOf(providers, overrides) {
  const sellers = sellersIn(providers).map(([name, seller]) => {
    const rows = sourceRows(providers[name].models);
    for (const [model, override] of Object.entries(overrides[seller] ?? {})) {
      const { why: _reason, seen: _date, ...fields } = override;
      rows[model] = { ...rows[model], ...fields };
    }
    return [seller, rows];
  });
  return Object.fromEntries(sellers);
}

/** A seller's rows as the source has them, for models that can be an agent's. */
export function sourceRows(models) {
  const rows = Object.entries(models).map(([id, model]) => [id.toLowerCase(), rowOf(model)]);
  return Object.fromEntries(rows.filter(([, row]) => row !== undefined));
}

/** One model's row; undefined if it calls no tools, takes or gives no text, or has no figures. */
function rowOf({ tool_call, modalities, cost, limit, reasoning_options = [], reasoning }) {
  const isText = ['input', 'output'].every((way) => modalities?.[way]?.includes('text'));
  const price = figuresOf(cost);
  if (tool_call !== true || !isText || price === undefined || !(limit?.context > 0))
    return undefined;

  const tier = firstTier(cost);
  const long = figuresOf(tier?.cost);
  const offered = reasoning_options.find(({ type }) => type === 'effort')?.values ?? [];
  const efforts = EFFORTS.filter((effort) => offered.includes(effort));
  return {
    price,
    ...(long !== undefined && { above: tier.size, long }),
    // Where a prompt cannot have the whole window, its own limit is what counts.
    window: Math.min(limit.context, limit.input ?? limit.context),
    ...(limit.output > 0 && limit.output < limit.context && { output: limit.output }),
    ...(efforts.length > 0 && { efforts: efforts.join(' ') }),
    ...(reasoning === false && { thinks: 'never' }),
  };
}

/** Dollars per million tokens: input, output, read from the cache, written to it. */
function figuresOf(cost) {
  if (cost === undefined) return undefined;
  const { input, output, cache_read = input, cache_write = input } = cost;
  const figures = [input, output, cache_read, cache_write];
  return figures.every((figure) => Number.isFinite(figure) && figure >= 0) ? figures : undefined;
}

/** The smallest size of a prompt from which on all of it costs more. */
function firstTier({ tiers = [], context_over_200k: over200k }) {
  const [first] = tiers.toSorted((a, b) => a.tier.size - b.tier.size);
  if (first !== undefined) return { size: first.tier.size, cost: first };
  return over200k && { size: 200_000, cost: over200k };
}

/** The file's text: sorted, and one line a model, so that a changed price is one line of a diff. */
export function render({ date, models }) {
  const sellers = Object.entries(models).map(([seller, rows]) => {
    const lines = Object.keys(rows)
      .toSorted()
      .map((model) => `    ${JSON.stringify(model)}: ${JSON.stringify(inOrder(rows[model]))}`);
    return `  ${JSON.stringify(seller)}: {\n${lines.join(',\n')}\n  }`;
  });
  const head = `"source": "models.dev (MIT)",\n"date": ${JSON.stringify(date)}`;
  return `{\n${head},\n"models": {\n${sellers.join(',\n')}\n}\n}\n`;
}

function inOrder(row) {
  return Object.fromEntries(FIELDS.filter((key) => key in row).map((key) => [key, row[key]]));
}
