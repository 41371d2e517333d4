// Words of GitHub's schema of workflows. A test holds these lists to the schema of GitHub's parser.

export const WORKFLOW_KEYS: readonly string[] =
  'on name description run-name defaults env permissions concurrency jobs'.split(' ');

export const JOB_KEYS: readonly string[] =
  'needs if strategy name runs-on timeout-minutes cancel-timeout-minutes continue-on-error container services env environment permissions concurrency outputs defaults steps snapshot uses with secrets'.split(
    ' ',
  );

export const STEP_KEYS: readonly string[] =
  'name id if timeout-minutes run continue-on-error env working-directory shell background uses with'.split(
    ' ',
  );

export const SCOPES: readonly string[] =
  'actions artifact-metadata attestations checks code-quality contents copilot-requests deployments discussions drives id-token issues models packages pages pull-requests repository-projects security-events statuses vulnerability-alerts'.split(
    ' ',
  );

export const EVENTS: readonly string[] =
  'branch_protection_rule check_run check_suite create delete deployment deployment_status discussion discussion_comment fork gollum image_version issue_comment issues label merge_group milestone page_build project project_card project_column public pull_request pull_request_comment pull_request_review pull_request_review_comment pull_request_target push registry_package release repository_dispatch schedule status watch workflow_call workflow_dispatch workflow_run'.split(
    ' ',
  );
