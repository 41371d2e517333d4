// Writes the pages of docs/reference/ but differences-from-axe.md, and the status in README.md, from
// action.yml, schema/ and src/. With `--check` it writes nothing, names what is out of date and ends
// with status 1.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { parse } from 'yaml';
import { LIMITS } from './limits.js';
import { readStatus } from './status.js';

const ACTION = readFileSync('action.yml', 'utf8');
const { inputs, outputs } = parse(ACTION);
const defaults = await load('src/lib/defaults.ts');
const agentSchema = JSON.parse(readFileSync('schema/agent.schema.json', 'utf8'));
const { formatCommandTable } = await load('src/event/comment-commands.ts');
const { formatRefusalTable } = await load('src/github/client/refusals.ts');

/** The tables of an agent file, and where to read more about each. */
const KEY_PAGES = {
  memory: 'See [memory](../memory.md) and [notes](../notes.md).',
  params: 'See [answer with JSON](../agents.md#answer-with-json).',
  retry: 'See [retries](../cost-and-limits.md#retries-and-fallbacks).',
  budget: 'See [cost and limits](../cost-and-limits.md).',
  artifacts: 'See [tools](../tools.md).',
  review: 'See [reviews](../reviews.md#how-thoroughly-it-reviews).',
  sub_agents_config: 'See [sub-agents](../tools.md#sub-agents).',
  mcp_servers: 'See [MCP servers](../tools.md#mcp-servers).',
};

const PAGES = {
  'docs/reference/inputs.md': inputsPage(),
  'docs/reference/outputs.md': outputsPage(),
  'docs/reference/agent-keys.md': agentKeysPage(),
  'docs/reference/limits.md': limitsPage(),
  'docs/reference/commands.md': commandsPage(),
  'docs/reference/refusals.md': refusalsPage(),
  'README.md': fill('README.md', 'status', readStatus()),
};

const stale = Object.entries(PAGES).filter(
  ([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
);
if (process.argv.includes('--check')) {
  for (const [path] of stale)
    process.stderr.write(`${path} is out of date. Run: node scripts/docs.js\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else for (const [path, text] of stale) writeFileSync(path, text);

/** A comment in `action.yml` is the title of the inputs that follow. */
function inputsPage() {
  const [, ...groups] = ACTION.slice(0, ACTION.indexOf('\noutputs:')).split(/^ {2}# /m);
  const sections = groups.map((group) => {
    const [title] = group.split('\n');
    const rows = [...group.matchAll(/^ {2}([a-z-]+):$/gm)].map(([, name]) => [
      code(name),
      inputs[name].default ? code(inputs[name].default) : '',
      cell(inputs[name].description),
    ]);
    return `## ${title}\n\n${table(['Input', 'Default', 'Meaning'], rows)}`;
  });
  return page('Inputs', 'What the step accepts under `with:`.', sections);
}

function outputsPage() {
  const rows = Object.entries(outputs).map(([name, { description }]) => [
    code(name),
    cell(description),
  ]);
  const about =
    'What later steps can read from `steps.<id>.outputs`. They contain what a model wrote, so use them through `env:`, never inside the text of a script.';
  return page('Outputs', about, [table(['Output', 'Meaning'], rows)]);
}

function agentKeysPage() {
  const about =
    'Every key of an [agent file](../agents.md), in any case. Editors show these texts if its first line is `#:schema` and the address of `schema/agent.schema.json`.';
  return page('Agent keys', about, keySections(agentSchema, ''));
}

/** A section for a table of the file, and one for each table in it. */
function keySections(schema, path) {
  const keys = Object.entries(schema.properties);
  const rows = keys
    .filter(([, key]) => tableIn(key) === undefined)
    .map(([name, key]) => [
      code(name),
      key.default === undefined
        ? typeOf(key)
        : `${typeOf(key)} (${code(JSON.stringify(key.default))})`,
      meaningOf(key, schema.required?.includes(name)),
    ]);
  const intro = [path === '' ? undefined : schema.description, KEY_PAGES[path]]
    .filter(Boolean)
    .join(' ');
  const title =
    path === '' ? 'At the top of the file' : code(schema.isList ? `[[${path}]]` : `[${path}]`);
  const own = [
    `## ${title}`,
    ...(intro === '' ? [] : [intro]),
    table(['Key', 'Type (default)', 'Meaning'], joinAlike(rows)),
  ].join('\n\n');
  const inner = keys.flatMap(([name, key]) => {
    const found = tableIn(key);
    if (found === undefined) return [];
    const described = { ...found, description: key.description, isList: key.type === 'array' };
    return keySections(described, path === '' ? name : `${path}.${name}`);
  });
  return [own, ...inner];
}

/** One row for all keys that say the same, each of itself. */
function joinAlike(rows) {
  const generic = ([name, ...cells]) => cells.map((text) => text.replaceAll(name, '`<key>`'));
  return rows.flatMap((row) => {
    const alike = rows.filter((other) => generic(other).join() === generic(row).join());
    if (alike.length === 1) return [row];
    return row === alike[0] ? [[alike.map(([name]) => name).join(', '), ...generic(row)]] : [];
  });
}

/** The table that a key is, or that it is a list of. */
function tableIn({ properties, items, ...rest }) {
  if (properties !== undefined) return { properties, ...rest };
  return items?.properties === undefined ? undefined : items;
}

function typeOf({ type, anyOf }) {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  return { array: 'list', object: 'table' }[type] ?? type;
}

function meaningOf(
  { description, maximum, enum: own, anyOf = [], items = {} },
  isRequired = false,
) {
  const offered = own ?? [...anyOf, items].find((one) => one.enum !== undefined)?.enum;
  const parts = [
    ...(isRequired ? ['Required.'] : []),
    description,
    ...(offered === undefined ? [] : [`One of ${offered.map(code).join(', ')}.`]),
    ...(maximum === undefined ? [] : [`At most ${maximum.toLocaleString('en')}.`]),
  ];
  return cell(parts.join(' '));
}

function limitsPage() {
  const limitOf = (name) => name.split('.').reduce((object, key) => object[key], defaults);
  const rows = LIMITS.map(([what, name, format]) => [what, format(limitOf(name))]);
  const about =
    'No [input](inputs.md) and no [agent key](agent-keys.md) changes these. [Cost and limits](../cost-and-limits.md#limits) has the limits of a run.';
  return page('Defaults and limits', about, [table(['What', 'Value'], rows)]);
}

function commandsPage() {
  const about =
    'A comment begins with the command. [Events](../events.md#commands-in-comments) says which workflows run on comments.';
  return page('Commands in comments', about, [formatCommandTable()]);
}

function refusalsPage() {
  const about =
    "What to do when an annotation, the job summary or the log has GitHub's words. [Questions](../questions.md#messages) has other messages.";
  // The remedies link from `docs/`.
  const rows = formatRefusalTable().replaceAll(/\]\((?!https?:)/g, '](../');
  return page('What GitHub refuses', about, [rows]);
}

async function load(entry) {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  return await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

function page(title, about, sections) {
  const note = '<!-- Written by scripts/docs.js; changes here are overwritten. -->';
  return `# ${title}\n\n${note}\n\n${[about, ...sections].join('\n\n')}\n`;
}

function fill(path, name, content) {
  const markdown = readFileSync(path, 'utf8');
  // Lines of their own, or a part of one.
  const [before, rest] = markdown.split(`<!-- ${name} -->`);
  const [, after] = rest.split(`<!-- /${name} -->`);
  const end = rest.startsWith('\n') ? '\n' : '';
  return `${before}<!-- ${name} -->${end}${content}${end}<!-- /${name} -->${after}`;
}

function code(text) {
  return `\`${text}\``;
}

function cell(text) {
  return text.trim().replaceAll('|', '\\|');
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
