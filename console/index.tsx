import { render } from 'preact';
import { App } from './app.tsx';
import { watchLearner } from './state/learner.ts';

watchLearner();
render(<App />, document.getElementById('console') as HTMLElement);
