import { runMainHere } from '../helpers/run-main.js';
import { type Stage, type StageOptions, setStage } from './stage.js';

/**
 * A stage whose steps are run by `main` in this very process, in a third of the time: for rules of
 * which the built program changes nothing.
 */
export function setStageInProcess(options: StageOptions = {}): Promise<Stage> {
  return setStage({ ...options, runStep: runMainHere });
}
