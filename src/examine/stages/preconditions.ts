import type { StageCalls, Step } from '../stage.ts';
import { cancel, insure, policies, read, update } from './policy-steps.ts';
import { cancelTagged, createTagged, emptyRegister, readTagged, updateTagged } from './walk.ts';

const ben = { holder: 'Ben Example' };
const cy = { holder: 'Cy Example' };

const keepTag = (step: Step, name: string): Step => ({ ...step, keep: { ...step.keep, [name]: 'header:ETag' } });

/** A policy whose first tag is kept. */
const created = keepTag(insure('ann', 'one'), 'tag');
/** The same, changed since. */
const changed = [created, keepTag(update('ann', 'one', ben), 'newTag')];

/** A header in the title of a case. */
const shown = (tag: string) => tag.replace('{tag}', 'its ETag');

const ifMatch = (tag: string) => ({ 'If-Match': tag });
const ifNoneMatch = (tag: string) => ({ 'If-None-Match': tag });

const known = ['{tag}', 'W/{tag}', '*', '"none", {tag}'];
const unfit = ['"none"', 'W/{tag}', 'none', '"none", "neither"'];

export const preconditions: StageCalls = {
  reads: 'PUT /insurer/v1/policies/{policyId}',
  cases: [
    { title: 'The ETag of a new policy is that of its read.', steps: [created, read('ann', 'one')] },
    ...known.map((tag) => ({
      title: `A read with If-None-Match: ${shown(tag)} is 304.`,
      steps: [created, read('ann', 'one', ifNoneMatch(tag))],
    })),
    { title: 'A read with another tag has the policy.', steps: [created, read('ann', 'one', ifNoneMatch('"none"'))] },
    {
      title: 'A read with the tag of before a change has the policy.',
      steps: [...changed, read('ann', 'one', ifNoneMatch('{tag}'))],
    },
    {
      title: 'A read with the tag that the change answered is 304.',
      steps: [...changed, read('ann', 'one', ifNoneMatch('{newTag}'))],
    },
    {
      title: 'A change gives a new ETag, also if the holder stays.',
      steps: [...changed, update('ann', 'one', ben), read('ann', 'one', ifNoneMatch('{newTag}'))],
    },
    { title: 'A read with If-Match of another tag is 412.', steps: [created, read('ann', 'one', ifMatch('"none"'))] },
    ...['{tag}', '*', '"none", {tag}'].map((tag) => ({
      title: `A change with If-Match: ${shown(tag)} is made.`,
      steps: [created, update('ann', 'one', ben, ifMatch(tag))],
    })),
    ...unfit.map((tag) => ({
      title: `A change with If-Match: ${shown(tag)} is 412.`,
      steps: [created, update('ann', 'one', ben, ifMatch(tag))],
    })),
    {
      title: 'A change with the tag of before another change is 412.',
      steps: [...changed, update('ann', 'one', cy, ifMatch('{tag}'))],
    },
    {
      title: 'A change that is 412 changed nothing.',
      steps: [created, update('ann', 'one', ben, ifMatch('"none"')), read('ann', 'one')],
    },
    ...['{tag}', '*'].map((tag) => ({
      title: `A change with If-None-Match: ${shown(tag)} is 412.`,
      steps: [created, update('ann', 'one', ben, ifNoneMatch(tag))],
    })),
    {
      title: 'A change with If-None-Match of another tag is made.',
      steps: [created, update('ann', 'one', ben, ifNoneMatch('"none"'))],
    },
    { title: 'Cancelling with the tag is done.', steps: [created, cancel('ann', 'one', ifMatch('{tag}'))] },
    {
      title: 'Cancelling with the tag of before a change is 412.',
      steps: [...changed, cancel('ann', 'one', ifMatch('{tag}'))],
    },
    {
      title: 'What could not be cancelled is in force.',
      steps: [created, cancel('ann', 'one', ifMatch('"none"')), read('ann', 'one')],
    },
    {
      title: 'Cancelling gives a new ETag.',
      steps: [created, cancel('ann', 'one'), read('ann', 'one', ifNoneMatch('{tag}'))],
    },
    {
      title: 'Cancelling again gives the same ETag.',
      steps: [created, keepTag(cancel('ann', 'one'), 'last'), cancel('ann', 'one', ifMatch('{last}'))],
    },
    {
      title: 'A policy that is not there is not found, whatever the tag.',
      steps: [{ as: 'ann', method: 'PUT', path: `${policies}/pol-none`, headers: ifMatch('"none"'), json: ben }],
    },
    {
      title: 'A policy of another client is not found, whatever the tag.',
      steps: [created, update('ben', 'one', ben, ifMatch('"none"'))],
    },
    {
      title: 'A cancelled policy can’t be changed, whatever the tag.',
      steps: [created, cancel('ann', 'one'), update('ann', 'one', ben, ifMatch('{tag}'))],
    },
  ],
  random: {
    model: emptyRegister,
    actions: [createTagged, readTagged, updateTagged, updateTagged, cancelTagged],
    rows: 8,
    most: 10,
  },
};
