import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startModelServer } from '../helpers/model-server.js';
import { runPost, startStep } from '../helpers/run-action.js';
import { scheduledStep } from './memory-scene.js';

describe('a run that is cancelled', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s reports it, ends as cancelled, and leaves nothing to save',
    async (signal) => {
      const model = await startModelServer([{ kind: 'stall' }]);
      const options = scheduledStep({ model }, { inputs: { 'memory-store': 'file' } });
      const running = startStep('main', options);
      model.onRequest(() => running.kill(signal));
      const main = await running.finished;

      expect(main).toMatchObject({ exitCode: 1, signal: null, stderr: '' });
      expect(main.outputs).toMatchObject({ conclusion: 'cancelled', 'memory-saved': 'false' });
      expect(main.outputs['memory-entry']).toBeUndefined();
      expect(main.annotations).toEqual([
        expect.objectContaining({ level: 'error', message: 'the run was cancelled' }),
      ]);
      expect(main.summary).toContain('the run was cancelled');

      const post = await runPost(options, main);
      expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
      expect(post.log.trim()).toBe('Memory: nothing is left to save.');
      expect(existsSync(join(main.workspace, '.axe'))).toBe(false);
    },
  );
});
