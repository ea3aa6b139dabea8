import { render } from 'preact';
import { App } from './app.tsx';
import { watchLearner } from './state/learner.ts';
import { takeRedirect } from './state/redirect-back.ts';

takeRedirect();
watchLearner();
render(<App />, document.getElementById('console') as HTMLElement);
