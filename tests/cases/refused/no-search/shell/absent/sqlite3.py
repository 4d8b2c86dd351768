sqlite_version = "3.40.1"


class OperationalError(Exception): ...


def connect(*_, **__):
    return Database()


class Database:
    def execute(self, *_):
        raise OperationalError("no such module: fts5")

    def close(self): ...
