// What the bundler is told of the packages that we bundle.
import { readFile } from 'node:fs/promises';
import { builtinModules as names } from 'node:module';

/**
 * `require('fs')` in a CommonJS package of a bundle that is an ES module: Node's own module, when it is asked for. The
 * bundler itself leaves a `require` there that only throws.
 */
export const builtinModules = {
  name: 'builtin-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?[a-z_/0-9]+$/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, '');
      return kind === 'require-call' && names.includes(name)
        ? { path: name, namespace: 'builtin' }
        : undefined;
    });
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
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

/**
 * The AI SDKs import zod's namespace by its name `z`, of which a bundler keeps all: as a namespace import it keeps what is
 * used of it.
 */
export const zodByName = {
  name: 'zod-by-name',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]@ai-sdk[\\/].*\.m?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replace(
        /^import \{ z(?: as (\w+))? \} from "zod\/v4";$/gm,
        (_, name = 'z') => `import * as ${name} from "zod/v4";`,
      );
      return { contents, loader: 'js' };
    });
  },
};

const OIDC = 'lazy-oidc';

/**
 * `@actions/core` imports an HTTP client, and with it undici, for the job's OIDC token alone: it is loaded when that is
 * asked for. Evaluating what is left of the toolkit does nothing, so that unused parts of it are dropped.
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
