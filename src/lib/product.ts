/** Version of the product; a test holds it equal to package.json. */
export const VERSION = '1.0.0';

/**
 * The default address of the action in a workflow, `owner/name@ref`. People paste it next to a key,
 * so the owner is a word that nobody can register as an account.
 */
export const ACTION_ADDRESS = 'YOUR_ORG/axe-action@v1';

const GITHUB = 'https://github.com';

/** Parses an address as a workflow has it; undefined for a text that is not one. */
export function parseActionAddress(text: string) {
  const [, owner, name, ref] =
    /^([A-Za-z0-9_-]+)\/([A-Za-z0-9._-]+)@([A-Za-z0-9._/-]+)$/.exec(text) ?? [];
  return owner === undefined || name === undefined || ref === undefined
    ? undefined
    : { owner, name, ref };
}

/**
 * The address of the JSON schema of agent files, for the first line of a new one (`#:schema`, which
 * Taplo and the editors that use it read). The version and the server are the workflow's. Throws
 * for a text that is not an address.
 */
export function agentSchemaUrl(address: string, serverUrl = GITHUB): string {
  const parsed = parseActionAddress(address);
  if (parsed === undefined) throw new Error(`not the address of an action: ${address}`);

  const { owner, name, ref } = parsed;
  const file = 'schema/agent.schema.json';
  if (serverUrl === GITHUB)
    return `https://raw.githubusercontent.com/${owner}/${name}/${ref}/${file}`;
  return `${serverUrl}/${owner}/${name}/raw/${ref}/${file}`;
}
