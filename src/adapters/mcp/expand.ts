import type { McpServerConfig } from '../../core/agent/config.js';
import type { Environment } from '../../core/environment.js';

/** axe's form of a variable in a header. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Field names and values of HTTP (RFC 9110, 5.1 and 5.5), which are ASCII as far as anybody can rely on. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * A server with `${VAR}` replaced in its headers, as axe does, and in its arguments and variables, which is how a program
 * gets a key although its environment is scrubbed. Throws an Error that names what is missing, and never a value.
 */
export function expandServer(server: McpServerConfig, env: Environment): McpServerConfig {
  return {
    ...server,
    headers: Object.fromEntries(
      Object.entries(server.headers).map(([name, value]) => [name, expandHeader(name, value, env)]),
    ),
    args: server.args.map((arg) => expand(arg, '`args`', env)),
    env: Object.fromEntries(
      Object.entries(server.env).map(([name, value]) => [name, expand(value, `\`env.${name}\``, env)]),
    ),
  };
}

/** The values that a server is given by `${VAR}`: they are secrets, whatever the variables are called. */
export function valuesFor({ headers, args, env: own }: McpServerConfig, env: Environment): readonly string[] {
  const texts = [...Object.values(headers), ...args, ...Object.values(own)];
  const names = texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name));
  return names.map((name) => env[name]?.trim() ?? '').filter((value) => value !== '');
}

function expandHeader(name: string, text: string, env: Environment): string {
  const where = `header ${JSON.stringify(name)}`;
  const value = expand(text, where, env).trim();
  if (!HEADER_NAME.test(name)) throw new Error(`${where} is not a name that HTTP allows`);
  if (!HEADER_VALUE.test(value)) {
    throw new Error(`the value of ${where} holds a character that HTTP does not allow, perhaps a line break`);
  }
  return value;
}

/** Surrounding white space of a variable goes: secrets are often stored with a line break at the end. */
function expand(text: string, where: string, env: Environment): string {
  return text.replace(VARIABLE, (_, name: string) => {
    const value = env[name]?.trim() ?? '';
    if (value === '') {
      throw new Error(`${where} needs the environment variable \`${name}\`, which is not set or empty`);
    }
    return value;
  });
}
