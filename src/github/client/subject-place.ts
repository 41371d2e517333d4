import type { Repository } from '../../axe/trigger.js';

/** An issue or pull request of a repository. */
export interface SubjectPlace {
  readonly repository: Repository;
  readonly number: number;
}
