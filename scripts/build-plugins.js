// What the bundler is told of the packages that we bundle.
import { readFile } from 'node:fs/promises';
import { builtinModules as names } from 'node:module';
import { basename, resolve } from 'node:path';

/** An `import` of a module reads all its names. These load a WebSocket with all of fetch, and Web Crypto; nobody uses them. */
const LEFT_OUT = {
  crypto: ['subtle', 'webcrypto'],
  http: ['CloseEvent', 'MessageEvent', 'WebSocket'],
  https: [],
};

/**
 * Node's own modules, when they are asked for: in a CommonJS package the bundler would leave a `require` that only throws.
 * Those of {@link LEFT_OUT} are imported without the names there.
 */
export const builtinModules = {
  name: 'builtin-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?[a-z_/0-9]+$/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, '');
      if (kind === 'require-call' && names.includes(name)) return { path: name, namespace: 'builtin' };
      if (kind === 'import-statement' && Object.hasOwn(LEFT_OUT, name))
        return { path: name, namespace: 'builtin-names', sideEffects: false };
      return undefined;
    });
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
    onLoad({ filter: /.*/, namespace: 'builtin-names' }, ({ path }) => ({
      contents: [
        `const all = process.getBuiltinModule(${JSON.stringify(path)});`,
        'export default all;',
        ...Object.keys(process.getBuiltinModule(path))
          .filter((name) => !LEFT_OUT[path].includes(name))
          .map((name) => `export const ${name} = /* @__PURE__ */ (() => all.${name})();`),
      ].join('\n'),
    }));
  },
};

/** zod offers its messages in fifty languages (264 KB) through a name that no package of ours uses; English stays. */
export const withoutLocales = {
  name: 'without-locales',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

const HEADERS = resolve(import.meta.dirname, '../lib/core/response.js');

/**
 * The AI SDKs import zod's namespace by its name `z`, of which a bundler keeps all: as a namespace import it keeps what is
 * used of it. They take `Headers` to add a name to a user agent: Node's own would load all of its fetch, which nothing else
 * of a usual run needs.
 */
export const slimSdks = {
  name: 'slim-sdks',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]@ai-sdk[\\/].*\.m?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const withZod = text.replace(
        /^import \{ z(?: as (\w+))? \} from "zod\/v4";$/gm,
        (_, name = 'z') => `import * as ${name} from "zod/v4";`,
      );
      const contents = /\bHeaders\(/.test(text)
        ? `import { HeaderList as Headers } from ${JSON.stringify(HEADERS)};\n${withZod}`
        : withZod;
      return { contents, loader: 'js' };
    });
  },
};

/** The stream of a model's events is a class of Node's web streams, which are loaded for it: only when there is one. */
export const lazyEventStream = {
  name: 'lazy-event-stream',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^eventsource-parser\/stream$/ }, ({ path, kind, resolveDir }) =>
      kind === 'import-statement'
        ? { path, namespace: 'lazy-event-stream', pluginData: resolveDir, sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'lazy-event-stream' }, ({ path, pluginData }) => ({
      resolveDir: pluginData,
      contents: `export const EventSourceParserStream = /* @__PURE__ */ new Proxy(class {}, {
        construct: (_, given) => Reflect.construct(require(${JSON.stringify(path)}).EventSourceParserStream, given),
      });`,
    }));
  },
};

/** What stands in for two globals of Node in Azure's client, by the file that uses it. A cache is never sent a form. */
const AZURE_GLOBALS = {
  'uuidUtils.js': "import * as crypto from 'node:crypto';",
  'formData.js': 'const FormData = undefined;',
};

/** Azure's client, which the Actions cache is read with, asks Web Crypto for an id and looks for forms: both load slowly. */
export const slimAzure = {
  name: 'slim-azure',
  setup({ onLoad }) {
    const filter = /[\\/]@typespec[\\/]ts-http-runtime[\\/].*[\\/](?:uuidUtils|formData)\.js$/;
    onLoad({ filter }, async ({ path }) => ({
      contents: `${AZURE_GLOBALS[basename(path)]}\n${await readFile(path, 'utf8')}`,
      loader: 'js',
    }));
  },
};

const OIDC = 'lazy-oidc';
const NO_UNDICI = 'no-undici';

/**
 * `@actions/core` imports an HTTP client for the job's OIDC token alone: it is loaded when that is asked for. The client
 * imports undici for callers of `getAgentDispatcher`, who use fetch; the toolkit itself, with a proxy too, does not.
 * Evaluating what is left of the toolkit does nothing, so that unused parts of it are dropped.
 */
export const slimToolkit = {
  name: 'slim-toolkit',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^\.\/oidc-utils\.js$/ }, ({ importer, resolveDir, kind }) =>
      kind === 'import-statement' && /[\\/]@actions[\\/]core[\\/]lib[\\/]core\.js$/.test(importer)
        ? { path: 'oidc-utils.js', namespace: OIDC, pluginData: resolveDir, sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: OIDC }, ({ pluginData }) => ({
      resolveDir: pluginData,
      contents: `export const OidcClient = {
        getIDToken: async (audience) => (await import('./oidc-utils.js')).OidcClient.getIDToken(audience),
      };`,
    }));
    onResolve({ filter: /^undici$/ }, ({ importer, path }) =>
      /[\\/]@actions[\\/]http-client[\\/]/.test(importer)
        ? { path, namespace: NO_UNDICI, sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: NO_UNDICI }, () => ({
      contents: `export class ProxyAgent {
        constructor() {
          throw new Error('undici is not bundled for @actions/http-client');
        }
      }`,
    }));
    onResolve({ filter: /^@actions\/|^\.\.?\// }, async ({ path, pluginData, ...from }) => {
      const isToolkit =
        path.startsWith('@actions/') || /[\\/]node_modules[\\/]@actions[\\/]/.test(from.importer);
      if (!isToolkit || pluginData === OIDC) return undefined;
      const { importer, namespace, resolveDir, kind } = from;
      const found = await resolve(path, { importer, namespace, resolveDir, kind, pluginData: OIDC });
      return { ...found, sideEffects: false };
    });
  },
};
