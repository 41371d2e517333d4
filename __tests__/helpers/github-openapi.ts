import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DefinitionNode, Kind, parse, print, type TypeNode, visit } from 'graphql';

/** GitHub's OpenAPI description, cut down to the operations the fake knows. */
interface OpenApi {
  readonly openapi: string;
  readonly info: unknown;
  readonly servers: unknown;
  readonly paths: Record<string, unknown>;
  readonly components: Record<string, Record<string, unknown>>;
}

/**
 * The paths the fake answers, below a repository's; the rest is cut away: the whole description
 * takes seconds to load.
 */
const BELOW_REPOSITORY = `
  /contents/{path} /git/trees /git/trees/{tree_sha} /git/blobs/{file_sha} /git/commits /git/commits/{commit_sha} /git/matching-refs/{ref}
  /rules/branches/{branch} /tarball/{ref} /git/ref/{ref} /git/refs
  /git/refs/{ref} /commits /commits/{ref} /commits/{ref}/check-runs /commits/{ref}/status /commits/{commit_sha}/pulls /tags
  /compare/{basehead} /check-runs /check-runs/{check_run_id} /actions/jobs/{job_id}/logs
  /pulls /pulls/{pull_number} /pulls/{pull_number}/files /pulls/{pull_number}/commits /pulls/{pull_number}/reviews
  /pulls/{pull_number}/reviews/{review_id} /pulls/{pull_number}/reviews/{review_id}/dismissals
  /pulls/{pull_number}/comments /pulls/{pull_number}/comments/{comment_id}/replies /pulls/comments/{comment_id}/reactions
  /issues /issues/{issue_number} /issues/{issue_number}/labels /issues/{issue_number}/labels/{name}
  /issues/{issue_number}/reactions /issues/{issue_number}/comments /issues/comments/{comment_id}
  /issues/comments/{comment_id}/reactions /labels/{name} /collaborators/{username}/permission`;

const REPO = '/repos/{owner}/{repo}';
const BELOW = BELOW_REPOSITORY.trim().split(/\s+/);
const PATHS = [REPO, ...BELOW.map((path) => REPO + path), '/search/code', '/search/issues'];

let loaded: { readonly document: OpenApi; readonly cacheFile: string } | undefined;

/**
 * The cut of GitHub's OpenAPI description; `cacheFile` is where it is kept, so that others can keep
 * what they derive from it next to it.
 */
export function loadGitHubOpenApi(): { readonly document: OpenApi; readonly cacheFile: string } {
  loaded ??= openApi();
  return loaded;
}

function openApi() {
  const description = '@octokit/openapi/generated/api.github.com.json';
  const { file, text } = keepInTemp(description, PATHS.concat(cut.toString()).join(), (whole) =>
    JSON.stringify(cut(JSON.parse(whole) as OpenApi)),
  );
  return { document: JSON.parse(text) as OpenApi, cacheFile: file };
}

/** The value of an example of GitHub's; a new copy each time. */
export function githubExample(name: string): unknown {
  const example = loadGitHubOpenApi().document.components['examples']?.[name];
  if (example === undefined) throw new Error(`GitHub's description has no example ${name}`);
  return structuredClone((example as { value: unknown }).value);
}

/**
 * What takes long to make of a package's file, by the version of the package and by what makes it:
 * from the temporary folder of the machine, where it is put if it is not there yet.
 */
function keepInTemp(source: string, madeBy: string, make: (text: string) => string) {
  const [owner = '', name = ''] = source.split('/');
  const { version } = JSON.parse(
    readFileSync(installedFile(`${owner}/${name}/package.json`), 'utf8'),
  );
  const digest = createHash('sha1').update(madeBy).digest('hex').slice(0, 8);
  const folder = join(tmpdir(), `axe-action-openapi-${process.getuid?.() ?? 0}`);
  const file = join(folder, `${name}-${version}-${digest}`);
  if (existsSync(file)) return { file, text: readFileSync(file, 'utf8') };
  const text = make(readFileSync(installedFile(source), 'utf8'));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
  return { file, text };
}

/**
 * A file of an installed package, also for a bundle that lies elsewhere and runs from the project's
 * folder.
 */
function installedFile(path: string): URL {
  const near = new URL(`../../node_modules/${path}`, import.meta.url);
  return existsSync(near) ? near : pathToFileURL(join(process.cwd(), 'node_modules', path));
}

function cut(whole: OpenApi): OpenApi {
  const components: Record<string, Record<string, unknown>> = {};
  const paths: OpenApi['paths'] = {};
  for (const path of PATHS) {
    if (whole.paths[path] === undefined)
      throw new Error(`GitHub's description has no path ${path}`);
    paths[path] = whole.paths[path];
  }
  collect(paths);
  return { openapi: whole.openapi, info: whole.info, servers: whole.servers, paths, components };

  function collect(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    // A violation of a rule fits the description of a plain error too, so that "exactly one of the
    // two" never holds.
    if (
      'oneOf' in value &&
      JSON.stringify(value.oneOf).includes('/repository-rule-violation-error"')
    ) {
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

/**
 * Types that no query of ours comes near; without them, and what only they lead to, two thirds of
 * the schema are left out.
 */
const FAR_TYPES =
  /^(?:Audit|CVSS|CWE|Contrib|Contact|Dependency|Deployment|Discussion|Enterprise|Environment|Fund|Gist|IpAllow|Marketplace|MergeQueue|Migration|OIDC|Org|Organization|Package|Pin|Project|Release|Repository(?:Advisory|Invit|Migration|Rule|Topic|Vuln)|Saved|Security|Sponsor|Stargaz|Starred|Team|User(?:Content|List|Status)|Verifiable|Vulner|(?!ReviewDismissed).*Event$|.*AuditEntry$)/;

/**
 * GitHub's GraphQL schema with these mutations, without descriptions and {@link FAR_TYPES}: every
 * test file reads it and needs time for each type in it.
 */
export function loadGitHubSchema(mutations: readonly string[]): string {
  const schema = '@octokit/graphql-schema/schema.graphql';
  return keepInTemp(schema, `${FAR_TYPES}${mutations}${cutSchema}`, (whole) =>
    cutSchema(whole, mutations),
  ).text;
}

function cutSchema(whole: string, mutations: readonly string[]): string {
  const isFar = (type: TypeNode) => FAR_TYPES.test(nameOf(type));
  const near = visit(parse(whole, { noLocation: true }), {
    enter(node) {
      if (node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === 'Mutation')
        return {
          ...node,
          fields: node.fields?.filter(({ name }) => mutations.includes(name.value)),
        };
      const isField =
        node.kind === Kind.FIELD_DEFINITION || node.kind === Kind.INPUT_VALUE_DEFINITION;
      if (isField && isFar(node.type)) return null;
      if (node.kind === Kind.NAMED_TYPE && isFar(node)) return null;
      return 'description' in node && node.description !== undefined
        ? { ...node, description: undefined }
        : undefined;
    },
  });
  const defined = new Map(near.definitions.map((node) => [definedName(node), node]));
  const kept = new Set<DefinitionNode>();
  keep('Query');
  keep('Mutation');
  for (const node of near.definitions) if (node.kind === Kind.DIRECTIVE_DEFINITION) keepAll(node);
  return print({ ...near, definitions: near.definitions.filter((node) => kept.has(node)) });

  function keep(name: string): void {
    const node = defined.get(name);
    if (node === undefined || kept.has(node)) return;
    keepAll(node);
    // An interface is answered by the types that have it.
    for (const other of near.definitions) {
      if (!('interfaces' in other) || FAR_TYPES.test(definedName(other))) continue;
      if (other.interfaces?.some((type) => nameOf(type) === name)) keep(definedName(other));
    }
  }

  function keepAll(node: DefinitionNode): void {
    kept.add(node);
    visit(node, { NamedType: (type) => keep(type.name.value) });
  }
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}

function definedName(node: DefinitionNode): string {
  return 'name' in node ? (node.name?.value ?? '') : '';
}
