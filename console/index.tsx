import { render } from 'preact';
import { App } from './app.tsx';
import { applyTheme } from './parts/frame.tsx';
import { watchLearner } from './state/learner.ts';

applyTheme();
watchLearner();
render(<App />, document.getElementById('console') as HTMLElement);
