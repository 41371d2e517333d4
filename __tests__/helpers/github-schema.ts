import { readFileSync } from 'node:fs';
import { type DefinitionNode, Kind, parse, print, type TypeNode, visit } from 'graphql';
import { installedFile, keepInTemp } from './github-openapi.js';

const PACKAGE = '@octokit/graphql-schema';

/** Types that no query of ours comes near; without them, and what only they lead to, two thirds of the schema are left out. */
const FAR_TYPES =
  /^(?:Audit|CVSS|CWE|Contrib|Contact|Dependency|Deployment|Discussion|Enterprise|Environment|Fund|Gist|IpAllow|Marketplace|MergeQueue|Migration|OIDC|Org|Organization|Package|Pin|Project|Release|Repository(?:Advisory|Invit|Migration|Rule|Topic|Vuln)|Saved|Security|Sponsor|Stargaz|Starred|Team|User(?:Content|List|Status)|Verifiable|Vulner|(?!ReviewDismissed).*Event$|.*AuditEntry$)/;

/**
 * GitHub's GraphQL schema with these mutations, without descriptions and {@link FAR_TYPES}. Every test file reads it and
 * needs time for each type in it, so it is cut to what the fake can be asked, and kept in the temporary folder of the machine
 * under the version of the package.
 */
export function loadGitHubSchema(mutations: readonly string[]): string {
  const { version } = JSON.parse(readFileSync(installedFile(`${PACKAGE}/package.json`), 'utf8')) as {
    version: string;
  };
  return keepInTemp({ name: 'schema', version, madeBy: `${FAR_TYPES}${mutations}${cutSchema}` }, () =>
    cutSchema(readFileSync(installedFile(`${PACKAGE}/schema.graphql`), 'utf8'), mutations),
  );
}

function cutSchema(whole: string, mutations: readonly string[]): string {
  const isFar = (type: TypeNode) => FAR_TYPES.test(nameOf(type));
  const near = visit(parse(whole, { noLocation: true }), {
    enter(node) {
      if (node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === 'Mutation')
        return { ...node, fields: node.fields?.filter(({ name }) => mutations.includes(name.value)) };
      const isField = node.kind === Kind.FIELD_DEFINITION || node.kind === Kind.INPUT_VALUE_DEFINITION;
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
