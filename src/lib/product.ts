/** Version of the product; a test holds it equal to package.json. */
export const VERSION = '1.0.0';

/**
 * How a workflow names the action, `owner/name@ref`, if nobody says otherwise. It stands where
 * people paste it beside a key, so the owner is a word that nobody can register as an account.
 */
export const ACTION_ADDRESS = 'YOUR_ORG/axe-action@v1';

const GITHUB = 'https://github.com';

/** An address as it is written in a workflow; undefined for a text that is not one. */
export function parseActionAddress(text: string) {
  const [, owner, name, ref] =
    /^([A-Za-z0-9_-]+)\/([A-Za-z0-9._-]+)@([A-Za-z0-9._/-]+)$/.exec(text) ?? [];
  return owner === undefined || name === undefined || ref === undefined
    ? undefined
    : { owner, name, ref };
}

/**
 * Where editors find the form of agent files: the first line of a new one names it (`#:schema`, as
 * Taplo and the editors over it read it). The version is the one that the workflow uses, on the
 * server it runs on. Throws for a text that is not an address.
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
