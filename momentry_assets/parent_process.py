"""Ends a child process when its parent is gone, however the parent ended."""

import os
import signal
import threading
import time

CHECK_SECONDS = 1.0


def end_with_parent() -> None:
    """Interrupt this process about a second after its parent died; a killed parent cannot."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(CHECK_SECONDS)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
