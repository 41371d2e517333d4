import type { Repository } from '../../../core/event/trigger.js';

/** An issue or pull request of a repository. */
export interface SubjectPlace {
  readonly repository: Repository;
  readonly number: number;
}
