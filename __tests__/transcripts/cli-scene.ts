import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelScript, startModelServer, text } from '../helpers/model-server.js';
import { type CliOptions, runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

/** What the command line is given besides its words. */
export interface LineOptions extends Pick<CliOptions, 'stdin' | 'env'> {
  /** Files of its working directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** Default: the model says `Done.` */
  readonly model?: ModelScript;
}

/** A folder with files, a model, and the variables that lead the command line to them. */
export async function lineScene({
  files = {},
  model: script = [text('Done.')],
  env = {},
}: LineOptions = {}) {
  const [model, cwd, data] = [await startModelServer(script), tempDir('cwd'), tempDir('data')];
  writeFiles(cwd, files);
  return {
    model,
    cwd,
    env: { ...model.env, HOME: cwd, XDG_DATA_HOME: data, ...env },
    /** A file of its memory; empty where there is none. */
    memory(file: string): string {
      const path = join(data, 'axe/memory', file);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    },
  };
}

/** Runs the built command line to its end in such a folder. */
export async function runLine(words: readonly string[], { stdin, ...options }: LineOptions = {}) {
  const scene = await lineScene(options);
  const result = await runCli(words, {
    cwd: scene.cwd,
    env: scene.env,
    ...(stdin !== undefined && { stdin }),
  });
  return { ...result, ...scene, prompts: scene.model.prompts() };
}
