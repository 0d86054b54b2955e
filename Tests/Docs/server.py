"""The program as the articles start it."""

from program import Program


class Server(Program):
    """Started by a command of a shell, on any free port unless the environment names one."""

    def __init__(self, command, folder, environment):
        super().__init__(folder, ["bash", "-euo", "pipefail", "-c", command], {"PORT": "0", **environment})
        self.wait_until_listening(30)
