import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Operation {
  readonly description?: string;
  readonly responses: Record<string, { content?: Record<string, unknown> }>;
}

/** GitHub's OpenAPI description, cut down to the operations the fake knows. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: unknown;
  readonly servers: unknown;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<string, Record<string, unknown>>;
}

const REPO = '/repos/{owner}/{repo}';

/** The paths the fake answers; everything else is cut away, since the whole description takes seconds to load. */
const PATHS = [
  REPO,
  `${REPO}/contents/{path}`,
  `${REPO}/git/trees`,
  `${REPO}/git/trees/{tree_sha}`,
  `${REPO}/git/blobs`,
  `${REPO}/git/blobs/{file_sha}`,
  `${REPO}/git/commits`,
  `${REPO}/git/ref/{ref}`,
  `${REPO}/git/refs`,
  `${REPO}/git/refs/{ref}`,
  `${REPO}/commits`,
  `${REPO}/commits/{ref}`,
  `${REPO}/commits/{ref}/check-runs`,
  `${REPO}/commits/{ref}/status`,
  `${REPO}/commits/{commit_sha}/pulls`,
  `${REPO}/tags`,
  `${REPO}/check-runs`,
  `${REPO}/check-runs/{check_run_id}`,
  `${REPO}/actions/caches`,
  `${REPO}/actions/jobs/{job_id}/logs`,
  `${REPO}/pulls`,
  `${REPO}/pulls/{pull_number}`,
  `${REPO}/pulls/{pull_number}/files`,
  `${REPO}/pulls/{pull_number}/commits`,
  `${REPO}/pulls/{pull_number}/reviews`,
  `${REPO}/pulls/{pull_number}/reviews/{review_id}`,
  `${REPO}/pulls/{pull_number}/reviews/{review_id}/dismissals`,
  `${REPO}/pulls/{pull_number}/comments`,
  `${REPO}/pulls/{pull_number}/comments/{comment_id}/replies`,
  `${REPO}/pulls/comments/{comment_id}/reactions`,
  `${REPO}/compare/{basehead}`,
  `${REPO}/collaborators/{username}/permission`,
  `${REPO}/issues`,
  `${REPO}/issues/{issue_number}`,
  `${REPO}/issues/{issue_number}/labels`,
  `${REPO}/issues/{issue_number}/labels/{name}`,
  `${REPO}/issues/{issue_number}/reactions`,
  `${REPO}/issues/comments/{comment_id}/reactions`,
  `${REPO}/labels/{name}`,
  `${REPO}/issues/{issue_number}/comments`,
  `${REPO}/issues/comments/{comment_id}`,
  '/search/code',
  '/search/issues',
];

const PACKAGE = '@octokit/openapi';

let loaded: { readonly document: OpenApi; readonly cacheFile: string } | undefined;

/**
 * The cut of the installed `@octokit/openapi`. It is kept in the temporary folder of the machine under the version
 * of the package and a digest of what is cut and how; `cacheFile` is where, so that others can keep what they derive from it next to it.
 */
export function loadGitHubOpenApi(): { readonly document: OpenApi; readonly cacheFile: string } {
  if (loaded !== undefined) return loaded;
  const { version } = JSON.parse(readFileSync(installedFile(`${PACKAGE}/package.json`), 'utf8')) as {
    version: string;
  };
  const cacheFile = fileInTemp({ name: 'openapi', version, madeBy: PATHS.concat(cut.toString()).join() });
  const kept = keepIn(cacheFile, () =>
    JSON.stringify(
      cut(
        JSON.parse(
          readFileSync(installedFile(`${PACKAGE}/generated/api.github.com.json`), 'utf8'),
        ) as OpenApi,
      ),
    ),
  );
  const document = JSON.parse(kept) as OpenApi;
  loaded = { document, cacheFile };
  return loaded;
}

/** A file of an installed package, also for a bundle that lies elsewhere and runs from the project's folder. */
export function installedFile(path: string): URL {
  const beside = new URL(`../../node_modules/${path}`, import.meta.url);
  return existsSync(beside) ? beside : pathToFileURL(join(process.cwd(), 'node_modules', path));
}

/** The value of an example of GitHub's; a new copy each time. */
export function githubExample(name: string): unknown {
  const example = loadGitHubOpenApi().document.components['examples']?.[name];
  if (example === undefined) throw new Error(`GitHub's description has no example ${name}`);
  return structuredClone((example as { value: unknown }).value);
}

/** Something made of an installed package: of which version, and by what. */
interface Made {
  readonly name: string;
  readonly version: string;
  readonly madeBy: string;
}

/** What takes long to make, from the temporary folder of the machine, where it is put if it is not there yet. */
export function keepInTemp(made: Made, make: () => string): string {
  return keepIn(fileInTemp(made), make);
}

function fileInTemp({ name, version, madeBy }: Made): string {
  const folder = join(tmpdir(), `axe-action-openapi-${process.getuid?.() ?? 0}`);
  return join(folder, `${name}-${version}-${digest(madeBy)}`);
}

function keepIn(file: string, make: () => string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const made = make();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${process.pid}`, made);
  renameSync(`${file}.${process.pid}`, file);
  return made;
}

function cut(whole: OpenApi): OpenApi {
  const components: Record<string, Record<string, unknown>> = {};
  const paths: OpenApi['paths'] = {};
  for (const path of PATHS) {
    const item = whole.paths[path];
    if (item === undefined) throw new Error(`GitHub's description has no path ${path}`);
    paths[path] = item;
  }
  collect(paths);
  return { openapi: whole.openapi, info: whole.info, servers: whole.servers, paths, components };

  function collect(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    // A violation of a rule fits the description of a plain error too, so that "exactly one of the two" never holds.
    if ('oneOf' in value && JSON.stringify(value.oneOf).includes('/repository-rule-violation-error"')) {
      Object.assign(value, { anyOf: value.oneOf, oneOf: undefined });
    }
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string') collectRef(inner);
      else collect(inner);
    }
  }

  function collectRef(ref: string): void {
    const [, , kind = '', name = ''] = ref.split('/');
    components[kind] ??= {};
    if (name in components[kind]) return;
    const component = whole.components[kind]?.[name];
    components[kind][name] = component;
    collect(component);
  }
}

/** FNV-1a in 32 bits, which is enough to distinguish one way of cutting from another. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16);
}
